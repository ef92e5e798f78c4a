"""Fuse: sibling maps become one, and what was computed and counted stays the same."""

from typing import Any

import pytest

from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ir.text import graph_lines
from compiler.ops import Linear
from compiler.passes.fuse import fuse, fusions
from compiler.passes.shapes import shapes
from tests.backends.torch.live import Live
from tests.conftest import Golden
from tests.lower.specs import decoder, encoder_decoder, over, program, with_attention

GATED = {"mlp": {"hidden": 24, "act": "silu", "gated": True}}
GRAPHS: dict[str, tuple[dict[str, Any], str]] = {
    "self-attention": (with_attention(), "h.layer.attn"),
    "grouped-queries": (with_attention(kv_heads=2, bias=True), "h.layer.attn"),
    "cross-attention": (encoder_decoder(), "dec.layer.cross"),
    "gated-mlp": (decoder({"mlp": GATED}), "h.layer.mlp"),
    "bias-on-one-of-three": (with_attention(bias="q"), "h.layer.attn"),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_fused_graph_as_text(name: str, golden: Golden) -> None:
    spec, graph = GRAPHS[name]
    lines = graph_lines(shapes(fuse(program(spec))).graphs[graph])
    golden(f"ir/fuse-{name}.txt", "\n".join(lines) + "\n")


def count(found: Program) -> int:
    return sum(value(p.count, found.key.sizes) for p in found.parameters().values())


@pytest.mark.parametrize("name", GRAPHS)
def test_parameters_are_joined_and_none_is_lost(name: str) -> None:
    plain = program(GRAPHS[name][0])
    fused = fuse(plain)
    assert count(fused) == count(plain)
    joined = fusions(fused)
    parts = {f"{part}.weight" for found in joined.values() for part in found}
    assert parts <= set(plain.parameters())
    rest = {n for n in plain.parameters() if n.rpartition(".")[0] + ".weight" not in parts}
    assert rest | {f"{n}.weight" for n in joined} <= set(fused.parameters())


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_computed_stays_the_same(name: str) -> None:
    live = Live(program(GRAPHS[name][0]))
    assert live.apart(live.inputs()) <= 1e-6


def test_the_whole_names_its_parts_in_order() -> None:
    fused = fuse(program(with_attention(kv_heads=2)))
    assert fusions(fused)["h.2.attn.qkv"] == ("h.2.attn.q", "h.2.attn.k", "h.2.attn.v")
    node = fused.graphs["h.layer.attn"]["qkv"].what
    assert isinstance(node, Linear)
    assert [(name, value(size, fused.key.sizes)) for name, size in node.parts] == [
        ("q", 16),
        ("k", 8),
        ("v", 8),
    ]


def test_maps_of_different_inputs_stay_apart() -> None:
    fused = fuse(program(encoder_decoder()))
    cross = [node.id for node in fused.graphs["dec.layer.cross"]]
    assert "q" in cross
    assert "kv" in cross


@pytest.mark.parametrize("bias", ["qvo", "v"])
def test_maps_of_which_only_some_have_a_bias_stay_apart(bias: str) -> None:
    assert fusions(fuse(program(with_attention(bias=bias)))) == {}


def test_a_plain_mlp_has_nothing_to_join() -> None:
    spec = over(8, {"m": {"mlp": {"hidden": 12, "act": "relu"}}})
    assert fusions(fuse(program(spec))) == {}


def test_fusing_twice_is_fusing_once() -> None:
    once = fuse(program(with_attention()))
    twice = fuse(once)
    assert [g.structure() for g in twice.graphs.values()] == [
        g.structure() for g in once.graphs.values()
    ]


def test_nodes_that_a_designer_called_like_parts_are_joined_too() -> None:
    one = {"linear": {"dim": 6}, "in": "x"}
    spec = over(8, {"q": one, "k": one, "v": one, "z": {"mean_of": {}, "in": ["q", "k", "v"]}})
    live = Live(program(spec))
    assert fusions(live.fused) == {"qkv": ("q", "k", "v")}
    assert live.apart(live.inputs()) <= 1e-6
