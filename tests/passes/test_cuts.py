"""Maps are cut where nothing mixes their units, which the program itself bears out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from archspec.load import load
from compiler.ir.graph import Graph, Node
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Parameter
from compiler.ir.size import value
from compiler.lower import lower
from compiler.passes.cuts import cuts
from tests.backends.torch.interpreter import Interpreter
from tests.backends.torch.live import Live
from tests.passes.samples import LLAMA, lowered

ROOT = Path(__file__).parents[2]
WIDE = {"heads": 4, "head_dim": 6}
INNER = {"mlp": {"hidden": 20, "act": "gelu", "bias": True}}
ATTENTIONS: dict[str, Mapping[str, Any]] = {
    "grouped": {**WIDE, "kv_heads": 2, "bias": True, "rope": {}, "mask": "causal"},
    "one key head": {**WIDE, "kv_heads": 1, "mask": "causal"},
    "normed heads": {**WIDE, "qk_norm": {"rms": 1e-6}, "rope": {}, "mask": "causal"},
    "gated": {**WIDE, "gate": True, "mask": "causal"},
    "sinks": {**WIDE, "sink": True, "mask": "causal"},
    "latent": {
        "heads": 4,
        "mask": "causal",
        "rope": {"pairs": "adjacent"},
        "latent": {"q_rank": 10, "kv_rank": 8, "nope_dim": 4, "rope_dim": 2, "v_dim": 4},
    },
}
"""Ways of attention that a layer of four heads can have."""


def decoder(attention: Mapping[str, Any]) -> dict[str, Any]:
    """A decoder of two layers, 24 wide, with 4 heads and 20 hidden units."""
    layer = {"attn": {"attention": dict(attention)}, "mlp": INNER}
    graph = {**LLAMA["graph"], "h": {"stack": {"repeat": 2, "layer": layer}}}
    return {**LLAMA, "graph": graph}


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("attention", ATTENTIONS.values(), ids=ATTENTIONS)
def test_a_rank_computes_its_units_without_the_others(
    attention: Mapping[str, Any], rank: int
) -> None:
    """Rows that add up the other ranks' units are zero: then nothing may depend on the weights that
    make these units."""
    live = Live(lowered(load(decoder(attention))), seed=3)
    inputs, weights = live.inputs(), dict(live.weights)
    rows, columns = named(live)
    assert rows and len(columns) > len(rows)
    for name in rows:
        weights[name] = kept(weights[name], 1, rank)
    alone = Interpreter(live.plain, weights).run(inputs)
    for name in columns:
        noise = torch.randn_like(weights[name]) * 3
        weights[name] = weights[name] + noise - kept(noise, 0, rank)
    scrambled = Interpreter(live.plain, weights).run(inputs)
    torch.testing.assert_close(scrambled[0], alone[0])


def named(live: Live) -> tuple[list[str], list[str]]:
    """The matrices that are cut by rows, and all that is cut by columns, with full names."""
    rows, columns = [], []
    for path, node, graph in live.plain.flat():
        found = cuts(graph, live.plain.key).regions
        own = [name for name in live.weights if name.rpartition(".")[0] == path]
        if any(node.id in region.rows for region in found):
            rows += [name for name in own if live.weights[name].ndim == 2]
        if any(node.id in region.columns for region in found):
            columns += own
    return rows, columns


def kept(weight: Tensor, axis: int, rank: int) -> Tensor:
    """One of two halves along an axis, the other one zero."""
    size = weight.shape[axis] // 2
    mask = torch.zeros_like(weight)
    mask.narrow(axis, rank * size, size).fill_(1)
    return weight * mask


@pytest.mark.parametrize(
    ("spec", "graph", "columns", "rows"),
    [
        ("decoder/gpt2", "h.layer.attn", "q k v", "o"),
        ("decoder/llama3-8b", "h.layer.mlp", "gate up", "down"),
        ("decoder/falcon-7b", "h.layer.both.attn", "q", "o"),
        ("decoder/gpt-oss-20b", "h.layer.attn", "q k v sink", "o"),
        ("decoder/deepseek-v3", "h.layer.attn", "q_b kv_b", "o"),
        ("decoder/deepseek-v3", "h.layer_2.mlp.shared", "gate up", "down"),
        ("encoder-decoder/t5-small", "dec.layer.cross", "q k v", "o"),
        ("encoder/deberta-v3-base", "h.layer.attn", "q k v", "o"),
    ],
)
def test_layers_are_cut_as_megatron_does(spec: str, graph: str, columns: str, rows: str) -> None:
    """Shoeybi et al. 2019, figure 3; a single key head, down-projections and routers stay whole."""
    program = lowered(load(ROOT / f"specs/{spec}.yaml"))
    (region,) = cuts(program.graphs[graph], program.key).regions
    assert sorted(region.columns) == sorted(columns.split())
    assert " ".join(region.rows) == rows


@pytest.mark.parametrize(
    ("spec", "graph", "whole"),
    [
        ("history/03-luong-general", "dec", "cell combine"),
        ("history/14-primitives-convolution", "even.layer.mix", "conv"),
        ("decoder/mixtral-8x7b", "h.layer.mlp.experts", "gate up down"),
        ("decoder/mixtral-8x7b", "h.layer.mlp", "router"),
    ],
)
def test_experts_recurrences_and_convolutions_are_not_cut(
    spec: str, graph: str, whole: str
) -> None:
    """Their maps are there, and no rank has a part of one."""
    program = lower(load(ROOT / f"specs/{spec}.yaml"))
    assert not isinstance(program, tuple)
    found, key = program.graphs[graph], program.key
    owners = [
        node.id
        for node in found
        if isinstance(node.what, Operator)
        and any(len(each.shape) > 1 for each in _weights(found, node, key))
    ]
    assert owners == whole.split()
    assert cuts(found, key).regions == ()


def _weights(graph: Graph, node: Node, key: Letters) -> list[Parameter]:
    assert isinstance(node.what, Operator)
    return list(node.what.parameters(graph.types(node.inputs), key).values())


def test_a_region_says_what_ranks_must_divide() -> None:
    program = lowered(load(LLAMA))
    found = {
        name: [value(axis.size, program.key.sizes) for axis in region.axes]
        for name, graph in program.graphs.items()
        for region in cuts(graph, program.key).regions
    }
    assert found == {"h.layer.attn": [4, 2, 2], "h.layer.mlp": [40]}
