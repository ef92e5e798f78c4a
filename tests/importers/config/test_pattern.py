from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import archspec
from archspec.model.stack import Stack
from compiler.importers.config.pattern import patch, stack


def layer(window: int | None = None, hidden: int = 16, mlp: str = "mlp") -> dict[str, Any]:
    attention = {"heads": 2, "mask": "causal", "rope": {"theta": 10000.0 if window else 5000.0}}
    attention |= {"window": window} if window else {}
    feed = {"hidden": hidden, "act": "silu"}
    if mlp == "moe":
        feed = {"experts": 2, "top_k": 1, "expert": feed}
    return {"attn": {"attention": attention}, "mlp": {mlp: feed}}


def test_equal_layers_are_said_once() -> None:
    assert stack([layer()] * 12, "n_layers") == {"repeat": "n_layers", "layer": layer()}


def test_of_two_layers_the_one_that_names_no_place_of_its_norm_is_patched() -> None:
    bare = {"attn": {**layer()["attn"], "norm_at": "none"}, "mlp": layer()["mlp"]}
    wanted = {"repeat": 2, "layer": layer(), "at": {0: {"attn.norm_at": "none"}}}
    assert stack([bare, layer()]) == wanted


def test_layers_in_turn_are_a_cycle() -> None:
    found = stack([layer(4), layer()] * 3)
    assert found == {
        "repeat": 6,
        "layer": layer(4),
        "cycle": [{}, {"attn.rope.theta": 5000.0, "attn.window": "none"}],
    }


def test_five_and_one_with_a_rest() -> None:
    found = stack(([layer(4)] * 5 + [layer()]) * 4 + [layer(4)] * 2)
    assert found["layer"] == layer(4)
    assert found["cycle"][0] == {"times": 5, "patch": {}}
    assert "at" not in found


def test_first_layers_that_differ_stand_under_at() -> None:
    found = stack([layer(hidden=99)] * 3 + [layer(mlp="moe")] * 58)
    assert found["at"] == {"0..3": {"mlp": layer(hidden=99)["mlp"]}}
    assert "cycle" not in found


def test_a_layer_without_a_norm() -> None:
    first = {"attn": {**layer()["attn"], "norm": "none"}, "mlp": layer()["mlp"]}
    assert stack([first, layer(), layer()])["at"] == {0: {"attn.norm": "none"}}


@pytest.mark.parametrize("other", [{"attn": layer()["attn"]}, {**layer(), "more": {}}])
def test_sublayers_that_come_and_go(other: dict[str, Any]) -> None:
    changed = patch(layer(), other)
    assert list(changed.values()) in (["none"], [{}])


KINDS = [layer(), layer(4), layer(9, 24), layer(None, 24), layer(None, 8, "moe")]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(range(len(KINDS))), min_size=1, max_size=24))
def test_what_is_written_reads_as_the_layers_it_was_made_of(order: list[int]) -> None:
    said = stack([KINDS[kind] for kind in order])
    found = read(said)
    whole = [read({"repeat": 1, "layer": KINDS[kind]}).variants[0] for kind in order]
    assert [found.variants[kind] for kind in found.order] == whole


def read(said: dict[str, Any]) -> Stack:
    at = {str(place): change for place, change in said.get("at", {}).items()}
    spec = archspec.load(
        {
            "name": "small",
            "inputs": {"ids": "tokens"},
            "defaults": {"norm": {"rms": 1e-6}, "norm_at": "pre"},
            "graph": {
                "tok": {"embed": {"vocab": 7, "dim": 8}, "in": "ids"},
                "h": {"stack": {**said, **({"at": at} if at else {})}},
            },
        }
    )
    found = spec.graph["h"].component
    assert isinstance(found, Stack)
    return found
