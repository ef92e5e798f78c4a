"""Disentangled attention against DeBERTa-v2's own with the same weights."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import DebertaV2Config
from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention

from compiler.ops import DistanceRows, DistanceTable
from tests.backends.torch.live import Live, live
from tests.lower.specs import MLP, PRE, model, over, with_attention

D, HEADS = 16, 4
FORMS = [
    {"max_distance": 5},
    {"max_distance": 5, "share_projections": False},
    {"buckets": 8, "max_distance": 20},
    {"buckets": 8, "max_distance": 20, "terms": ["c2p"], "share_projections": False},
    {"buckets": 6, "max_distance": 40, "terms": ["p2c"]},
]


def alone(**bias: Any) -> Live:
    """An attention without a last map as the only node over features `x`."""
    options = {"heads": HEADS, "projections": "qkv", "bias": True}
    attention = {**options, "position_bias": {"disentangled": bias}}
    return live(over(D, {"y": {"attention": attention}}))


def debertas(found: Live, bias: dict[str, Any]) -> DisentangledSelfAttention:
    """DeBERTa's module with our weights."""
    config = DebertaV2Config(
        hidden_size=D,
        num_attention_heads=HEADS,
        relative_attention=True,
        share_att_key=bias.get("share_projections", True),
        pos_att_type=bias.get("terms", ["c2p", "p2c"]),
        max_relative_positions=bias["max_distance"],
        position_buckets=bias.get("buckets", -1),
    )
    theirs = DisentangledSelfAttention(config).double().eval()
    names = {
        "y.q": "query_proj",
        "y.k": "key_proj",
        "y.v": "value_proj",
        "y.pos_k": "pos_key_proj",
        "y.pos_q": "pos_query_proj",
    }
    theirs.load_state_dict(
        {
            f"{names[name.rpartition('.')[0]]}.{name.rpartition('.')[2]}": weight
            for name, weight in found.weights.items()
            if name != "y.distances.weight"
        }
    )
    return theirs


@pytest.mark.parametrize("bias", FORMS, ids=str)
@pytest.mark.parametrize("length", [3, 47])
def test_it_is_debertas(bias: dict[str, Any], length: int) -> None:
    found = alone(**bias)
    x = found.inputs(2, length)["x"]
    seen = torch.ones(2, 1, length, length, dtype=torch.bool)
    with torch.no_grad():
        (expected, _) = debertas(found, bias)(x, seen, rel_embeddings=found.weights[TABLE])
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


TABLE = "y.distances.weight"


def layered(**bias: Any) -> Live:
    """An encoder of two layers over padded ids."""
    attention = {"heads": HEADS, "bias": True, "position_bias": {"disentangled": bias}}
    graph = {
        "tok": {"embed": {"vocab": 50, "dim": D}, "in": "ids"},
        "h": {"stack": {"repeat": 2, "layer": {"attn": {"attention": attention}, "mlp": MLP}}},
    }
    return live(model(graph, {"ids": {"tokens": {"padded": True}}}, defaults=PRE))


def test_a_stack_has_one_table_and_its_norm() -> None:
    found = layered(buckets=8, max_distance=20, norm={"layer": 1e-7})
    kinds = [type(node.what) for _, node, _ in found.plain.flat()]
    assert (kinds.count(DistanceTable), kinds.count(DistanceRows)) == (1, 1)
    shared = {"h_bias.weight", "h_bias_norm.weight", "h_bias_norm.bias"}
    assert shared <= set(found.weights)
    assert found.weights["h_bias.weight"].shape == (16, D)
    assert found.apart(found.inputs(3, 7)) < 1e-6


@pytest.mark.parametrize("count", [1, 2])
def test_scores_are_as_small_as_there_are_terms(count: int) -> None:
    """Without a table's say (its rows are zero) only the factor on the scores is left."""
    found = alone(max_distance=4, terms=["c2p", "p2c"][:count], share_projections=False)
    for name in found.weights:
        if "pos_" in name or name == TABLE:
            found.weights[name].zero_()
    x, w = found.inputs(2, 6)["x"], found.weights
    q, k, v = (x @ w[f"y.{n}.weight"].T + w[f"y.{n}.bias"] for n in "qkv")
    heads = [torch.stack(t.chunk(HEADS, -1), 1) for t in (q, k, v)]
    scores = heads[0] @ heads[1].mT / math.sqrt((1 + count) * D // HEADS)
    expected: Tensor = (scores.softmax(-1) @ heads[2]).transpose(1, 2).flatten(2)
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


@pytest.mark.parametrize("shared", [True, False])
def test_decoding_in_pieces_is_decoding_at_once(shared: bool) -> None:
    bias = {"buckets": 6, "max_distance": 9, "share_projections": shared}
    found = live(with_attention(position_bias={"disentangled": bias}))
    ids = found.inputs(2, 11)["ids"]
    (whole,) = found.found({"ids": ids})
    (kv,) = found.cache(2, 11).values()
    pieces = [(0, 4), (4, 7), (7, 8), (8, 11)]
    parts = [found.found({"ids": ids[:, a:b], "kv": kv, "pos": a})[0] for a, b in pieces]
    assert torch.allclose(torch.cat(parts, dim=1), whole, atol=1e-6)
