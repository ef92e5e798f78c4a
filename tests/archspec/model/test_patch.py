"""Patches of a spec: paths with and without component words, sizes, drops, unknown paths."""

import pytest

import archspec
from archspec.components.attention import Attention
from archspec.components.embed import Embed
from archspec.components.norm import Norm
from archspec.model.stack import SubLayer
from tests.archspec.reading import HEAD, TOK, codes, layers, spec, stack

TEXT = stack(
    "{attn: {attention: {heads: 4}}, mlp: {mlp: {hidden: d, act: relu}}}",
    top="dims: {d: 64, e: 2*d}\n",
)


def attn(*patches: str) -> SubLayer:
    return layers(TEXT, *patches)[1][0].sublayers["attn"]


def test_a_bare_name_is_a_size() -> None:
    assert dict(spec(TEXT, "d=32").dims) == {"d": 32, "e": 64}
    assert dict(spec(TEXT, "dims.e=d+1").dims) == {"d": 64, "e": 65}


@pytest.mark.parametrize(
    "path",
    [
        "h.layer.attn.heads",
        "h.layer.attn.attention.heads",
        "h.stack.layer.attn.heads",
        "h.stack.layer.attn.attention.heads",
        "graph.h.stack.layer.attn.attention.heads",
    ],
)
def test_component_words_may_be_left_out(path: str) -> None:
    part = attn(f"{path}=8").mixers["attn"].component
    assert isinstance(part, Attention)
    assert part.heads == 8


def test_a_sub_layer_by_its_name_alone_is_an_error_that_knows_its_path() -> None:
    with pytest.raises(archspec.SpecError) as caught:
        spec(TEXT, "attn.heads=8")
    (found,) = caught.value.diagnostics
    assert (found.code, found.primary.text) == ("AR0501", "did you mean `h.layer.attn`?")


def test_an_option_that_was_not_there() -> None:
    part = attn("h.layer.attn.rope.theta=500").mixers["attn"].component
    assert isinstance(part, Attention)
    assert part.rope is not None
    assert part.rope.theta == 500


def test_settings_of_the_sub_layer_come_before_the_components() -> None:
    found = attn("h.layer.attn.norm={rms: 1e-6}", "h.layer.attn.norm_at=out")
    assert found.norm == Norm(kind="rms", eps=1e-6, bias=False)
    assert found.norm_at == frozenset({"out"})


def test_the_last_patch_wins_and_none_drops() -> None:
    found = layers(TEXT, "h.repeat=2", "h.repeat=3", "h.layer.mlp=none")[1]
    assert [list(layer.sublayers) for layer in found] == [["attn"]] * 3


def test_nodes_are_dropped_and_replaced_whole() -> None:
    text = f"{HEAD}{TOK}  x: {{linear: {{dim: 4}}}}\n"
    assert list(spec(text, "x=none").graph) == ["tok"]
    replaced = spec(text, "tok={embed: {vocab: 5, dim: 4}, in: ids}").graph["tok"].component
    assert isinstance(replaced, Embed)
    assert replaced.vocab == 5


def test_set_in_the_spec_comes_before_the_command_line() -> None:
    text = f"set: {{d: 16}}\n{TEXT}"
    assert spec(text).dims["d"] == 16
    assert spec(text, "d=8").dims["d"] == 8


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ("f=1", ["AR0501"]),
        ("h.layer.att.heads=1", ["AR0501"]),
        ("h.lyer.attn.heads=1", ["AR0102"]),
        ("h.layer.attn.hedas=1", ["AR0102"]),
        ("h.layer.attn.heads.x=1", ["AR0508"]),
        ("h.layer.attn.rope={theta: 0}", ["AR0202"]),
        ("x={linear: {dim: 4}}", ["AR0501"]),
        ("graph.x={linear: {dim: 4}}", ["AR0501"]),
        ("extends=y", ["AR0501"]),
        ("dims.f=1", ["AR0501"]),
        ("inputs.idss=tokens", ["AR0501"]),
        ("d", ["AR0901"]),
        ("=1", ["AR0901"]),
        ("d=", ["AR0901"]),
        ("d=[", ["AR0003"]),
        ("d=1\nname: x", ["AR0901"]),
        ("name=null", ["AR0105"]),
        ("=", ["AR0901"]),
        (".=1", ["AR0501"]),
        ("d=!!int 3", ["AR0009"]),
    ],
)
def test_what_is_refused(patch: str, expected: list[str]) -> None:
    assert codes(TEXT, patch) == expected


def test_the_place_is_in_the_patch() -> None:
    found = archspec.read(
        {"name": "t", "inputs": {"i": "tokens"}, "graph": {}},
        set=["name=x", "inputs.i={tokns: {}}"],
    )
    assert isinstance(found, tuple)
    (wrong,) = [d for d in found if d.code == "AR0206"]
    span = wrong.primary.span
    assert (span.file, span.line, span.column) == ("--set", 2, 11)
    assert wrong.primary.line == "inputs.i={tokns: {}}"
