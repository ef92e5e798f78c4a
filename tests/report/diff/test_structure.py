"""Known edits of random specs: exactly they are told, folded, and backwards when going back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archspec.load import load
from compiler.report.diff.change import Change, ranges
from compiler.report.diff.structure import nodes, structure
from tests.passes.samples import named
from tests.report.diff.edits import EDITS, Edit, Told, decoders
from tests.shipped import EVERY

BACK = {"added": "removed", "removed": "added"}


def told(before: Any, after: Any) -> tuple[Change, ...]:
    old, new = load(before), load(after)
    return structure(old, new, nodes(old, new))


def short(changes: tuple[Change, ...]) -> set[Told]:
    return {(c.kind, c.before_path, c.after_path, c.field) for c in changes}


def values(changes: tuple[Change, ...]) -> set[tuple[str, ...]]:
    return {(c.kind, c.before_path, c.after_path, c.field, c.before, c.after) for c in changes}


def back(found: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    return {
        (BACK.get(kind, kind), after, before, field, new, old)
        for kind, before, after, field, old, new in found
    }


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
@settings(max_examples=6, deadline=None)
@given(spec=decoders())
def test_one_edit_is_one_change(edit: Edit, spec: dict[str, Any]) -> None:
    changed, expected = edit(spec)
    found = told(spec, changed)
    assert short(found) == expected
    assert values(told(changed, spec)) == back(values(found))


@settings(max_examples=20, deadline=None)
@given(
    spec=decoders(),
    chosen=st.lists(st.sampled_from(EDITS[:6]), min_size=2, max_size=5, unique_by=lambda e: e.name),
)
def test_edits_of_different_places_add_up(spec: dict[str, Any], chosen: list[Edit]) -> None:
    changed, fields = spec, set()
    for edit in chosen:
        changed, expected = edit(changed)
        fields |= {(kind, field) for kind, _, _, field in expected}
    found = told(spec, changed)
    assert {(c.kind, c.field) for c in found} == fields
    assert values(told(changed, spec)) == back(values(found))


@pytest.mark.parametrize("name", EVERY)
def test_nothing_differs_from_itself(name: str) -> None:
    spec = named(name)
    assert structure(spec, spec, nodes(spec, spec)) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("decoder/gemma-2b", "decoder/gemma2-2b"),
        ("decoder/llama-7b", "decoder/mixtral-8x7b"),
        ("decoder/deepseek-v2-lite", "decoder/deepseek-v3"),
        ("encoder/bert-base", "encoder-decoder/t5-small"),
        ("vision/vit-b16-cls", "vision/dinov2-base"),
    ],
)
def test_going_back_is_the_mirror(one: str, other: str) -> None:
    old, new = named(one), named(other)
    there = structure(old, new, nodes(old, new))
    assert there
    assert values(structure(new, old, nodes(new, old))) == back(values(there))


def test_a_pattern_is_said_by_its_layers() -> None:
    everywhere = {"graph": {"h": {"stack": {**STACK, "cycle": [{}]}, "in": "x"}}}
    (change,) = told(WINDOWS, {**WINDOWS, **everywhere})
    assert (change.path, change.field) == ("h.1..6:2.attn", "window")
    assert (change.before, change.after) == ("4", "none")
    assert [cause.what for cause in change.causes][-1] == "h.cycle"


STACK: dict[str, Any] = {
    "repeat": 6,
    "layer": {"attn": {"attention": {"heads": 2, "mask": "causal"}}},
    "cycle": [{}, {"attn.window": 4}],
}
WINDOWS: dict[str, Any] = {
    "name": "windows",
    "inputs": {"x": {"features": ["T", 8]}},
    "graph": {"h": {"stack": STACK, "in": "x"}},
}


def test_layers_that_both_stacks_end_with_are_the_same() -> None:
    """More layers before a special last one: nothing but their number is told."""
    last = {**STACK, "at": {"-1": {"attn.window": 2}}}
    del last["cycle"]
    old, new = (
        {**WINDOWS, "graph": {"h": {"stack": {**last, "repeat": n}, "in": "x"}}} for n in (6, 9)
    )
    (change,) = told(old, new)
    assert (change.field, change.before, change.after) == ("repeat", "6", "9")


@pytest.mark.parametrize(
    ("indices", "said"),
    [
        ([0], "0"),
        ([0, 1], "0..2"),
        (range(12), "0..12"),
        ([1, 3, 5], "1..6:2"),
        ([0, 5], "0,5"),
        ([0, 1, 2, 7, 9, 11, 20], "0..3,7..12:2,20"),
        ([], ""),
    ],
)
def test_ranges(indices: list[int], said: str) -> None:
    assert ranges(list(indices)) == said


def test_very_many_kinds_of_layers() -> None:
    """A hundred layers, each of a width of its own: every one is compared with its own."""
    wide = {"at": {str(i): {"mlp.hidden": 8 + i} for i in range(1, 100)}}
    layer = {"mlp": {"mlp": {"hidden": 8, "act": "relu"}}}
    spec = {
        "name": "many",
        "inputs": {"x": {"features": ["T", 8]}},
        "graph": {"h": {"stack": {"repeat": 100, "layer": layer, **wide}, "in": "x"}},
    }
    stack = {"repeat": 101, "layer": {"mlp": {"mlp": {"hidden": 8, "act": "gelu"}}}, **wide}
    found = told(spec, {**spec, "graph": {"h": {"stack": stack, "in": "x"}}})
    assert {(c.path, c.field) for c in found} == {("h", "repeat"), ("h.0..101.mlp", "act")}
