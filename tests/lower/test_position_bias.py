"""Position biases as a designer means them, against transformers with the same weights."""

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import BeitConfig, T5Config
from transformers.models.beit.modeling_beit import BeitRelativePositionBias
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from compiler.ops import BiasedAttention, BucketBias, DistanceBuckets, MaskedBias
from compiler.passes.keep_weights import keep_weights
from tests.backends.torch.live import Live, live
from tests.lower.specs import MLP, PRE, encoder_decoder, model, over, rejected, with_attention

D, HEADS = 16, 4
T5 = {"buckets": 8, "max_distance": 20}


def alone(length: int | str = "T", padded: bool = False, **options: Any) -> Live:
    """An attention as the only node of a graph over features `x`."""
    inputs = {"x": {"features": {"shape": [length, D], "padded": padded}}}
    heads = {"heads": HEADS, **options}
    return live(over(D, {"y": {"attention": heads}}) | {"inputs": inputs})


def mixed(found: Live, x: Tensor, bias: Tensor, seen: Tensor | None = None) -> Tensor:
    """Attention by hand with a bias on the scaled scores."""
    w, heads = found.weights, len(bias[0])
    q, k, v = (torch.stack((x @ w[f"y.{n}.weight"].T).chunk(heads, dim=-1), dim=1) for n in "qkv")
    scores = q @ k.mT * q.shape[-1] ** -0.5 + bias
    if seen is not None:
        scores = scores.masked_fill(~seen, -torch.inf)
    y = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
    mapped: Tensor = y @ w["y.o.weight"].T
    return mapped


def triangle(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16])
def test_alibi_is_blooms(heads: int) -> None:
    found = alone(heads=heads, mask="causal", position_bias={"alibi": {}})
    x = found.inputs(2, 9)["x"]
    bias = build_alibi_tensor(torch.ones(2, 9), heads, torch.float64).view(2, heads, 1, 9)
    expected = mixed(found, x, bias, triangle(9))
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


@pytest.mark.parametrize(("heads", "most"), list(itertools.product([3, 6, 12], [4, 8, 10])))
def test_slopes_of_other_head_counts_are_mpts(heads: int, most: float) -> None:
    bias = {"alibi": {"max_bias": most}}
    found = alone(heads=heads, head_dim=4, mask="causal", position_bias=bias)
    x = found.inputs(2, 7)["x"]
    added = build_mpt_alibi_tensor(heads, 7, most)[None].double()
    expected = mixed(found, x, added, triangle(7))
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)
    if most == 8:
        theirs = build_alibi_tensor(torch.ones(1, 7), heads, torch.float64).view(1, heads, 1, 7)
        assert torch.allclose(mixed(found, x, theirs, triangle(7)), expected, atol=1e-6)


def test_scaled_slopes_are_smaller_by_the_root_of_the_head_width() -> None:
    found = alone(mask="causal", position_bias={"alibi": {"scaled": True}})
    x = found.inputs(2, 7)["x"]
    bias = build_mpt_alibi_tensor(HEADS, 7)[None].double() / (D // HEADS) ** 0.5
    assert torch.allclose(found.found({"x": x})[0], mixed(found, x, bias, triangle(7)), atol=1e-6)


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_moves_no_distances(side: str) -> None:
    """BLOOM counts places over the mask; differences of real places are the same."""
    found = alone(padded=True, mask="causal", position_bias={"alibi": {}})
    x = found.inputs(2, 8)["x"]
    real = torch.ones(2, 8, dtype=torch.bool)
    real[1, slice(None, 3) if side == "left" else slice(5, None)] = False
    bias = build_alibi_tensor(real.long(), HEADS, torch.float64).view(2, HEADS, 1, 8)
    seen = triangle(8) & real[:, None, None, :]
    expected = mixed(found, x, bias, seen)
    (y,) = found.found({"x": x, "x_mask": real})
    assert torch.allclose(y[real], expected[real], atol=1e-6)


def t5_bias(found: Live, name: str, length: int, *, decoder: bool) -> Tensor:
    """T5's own bias with our table."""
    config = T5Config(
        d_model=D,
        d_kv=D // HEADS,
        num_heads=HEADS,
        relative_attention_num_buckets=T5["buckets"],
        relative_attention_max_distance=T5["max_distance"],
        is_decoder=decoder,
    )
    theirs = T5Attention(config, has_relative_attention_bias=True).double()
    theirs.relative_attention_bias.weight.data = found.weights[name].clone()
    with torch.no_grad():
        bias: Tensor = theirs.compute_bias(length, length)
    return bias


@pytest.mark.parametrize("mask", ["full", "causal"])
def test_buckets_are_t5s(mask: str) -> None:
    found = alone(mask=mask, position_bias={"t5": T5})
    x = found.inputs(2, 50)["x"]
    bias = t5_bias(found, "y.bias.weight", 50, decoder=mask == "causal")
    expected = mixed(found, x, bias, triangle(50) if mask == "causal" else None)
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


def test_a_decoder_may_look_both_ways_at_its_table() -> None:
    """A causal mask with buckets for both directions: half of them are never read."""
    found = alone(mask="causal", position_bias={"t5": {**T5, "bidirectional": True}})
    x = found.inputs(2, 9)["x"]
    bias = t5_bias(found, "y.bias.weight", 9, decoder=False)
    assert torch.allclose(found.found({"x": x})[0], mixed(found, x, bias, triangle(9)), atol=1e-6)


def test_a_grid_is_beits() -> None:
    found = alone(length=10, position_bias={"grid": {"size": 3, "cls": True}})
    config = BeitConfig(image_size=12, patch_size=4, num_attention_heads=HEADS)
    theirs = BeitRelativePositionBias(config).double()
    theirs.relative_position_bias_table.data = found.weights["y.bias.weight"].clone()
    x = found.inputs(2, 10)["x"]
    with torch.no_grad():
        bias = theirs((3, 3))
    expected = mixed(found, x, bias.view(1, HEADS, 10, 10))
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


def layered(bias: dict[str, Any], **more: Any) -> Live:
    """An encoder of three layers over padded ids."""
    layer = {"attn": {"attention": {"heads": HEADS, "position_bias": bias, **more}}, "mlp": MLP}
    graph = {
        "tok": {"embed": {"vocab": 50, "dim": D}, "in": "ids"},
        "h": {"stack": {"repeat": 3, "layer": layer}},
    }
    return live(model(graph, {"ids": {"tokens": {"padded": True}}}, defaults=PRE))


def count(found: Live, kind: type) -> int:
    return sum(isinstance(node.what, kind) for _, node, _ in found.plain.flat())


def test_a_stack_has_one_table_and_hides_once() -> None:
    found = layered({"t5": T5})
    assert [name for name in found.weights if "bias" in name] == ["h_bias.weight"]
    assert (count(found, BucketBias), count(found, MaskedBias)) == (1, 1)
    assert count(found, BiasedAttention) == 3
    assert found.apart(found.inputs(3, 7)) < 1e-6


def test_each_layer_has_a_table_where_it_says_so() -> None:
    found = layered({"t5": {**T5, "per": "layer"}})
    names = [name for name in found.weights if "bias" in name]
    assert names == [f"h.{i}.attn.bias.weight" for i in range(3)]
    assert (count(found, BucketBias), count(found, DistanceBuckets)) == (3, 1)
    assert found.apart(found.inputs(3, 7)) < 1e-6


def test_a_window_hides_in_the_bias() -> None:
    found = layered({"alibi": {}}, window=2)
    assert found.apart(found.inputs(3, 7)) < 1e-6


@pytest.mark.parametrize("bias", [{"alibi": {}}, {"t5": T5}, {"t5": {**T5, "per": "layer"}}])
def test_decoding_in_pieces_is_decoding_at_once(bias: dict[str, Any]) -> None:
    """Queries of a cache stand where they stand, prefilled in pieces and one by one."""
    found = live(with_attention(position_bias=bias))
    ids = found.inputs(2, 11)["ids"]
    (whole,) = found.found({"ids": ids})
    (kv,) = found.cache(2, 11).values()
    pieces = [(0, 4), (4, 7), (7, 8), (8, 9), (9, 11)]
    parts = [found.found({"ids": ids[:, a:b], "kv": kv, "pos": a})[0] for a, b in pieces]
    assert torch.allclose(torch.cat(parts, dim=1), whole, atol=1e-6)


def test_two_stacks_have_a_table_each_and_decode() -> None:
    """T5's shape: both directions in the encoder, one in the decoder, none across."""
    spec = encoder_decoder()
    for name in ("memory", "dec"):
        layer = spec["graph"][name]["stack"]["layer"]
        layer["self"]["attention"]["position_bias"] = {"t5": T5}
    found = live(spec)
    names = [name for name in found.weights if "bias" in name]
    assert names == ["memory_bias.weight", "dec_bias.weight"]
    kinds = [node.what for _, node, _ in found.plain.flat()]
    assert [k.bidirectional for k in kinds if isinstance(k, DistanceBuckets)] == [True, False]
    given = found.inputs(2, 6)
    assert found.apart(given) < 1e-6
    (whole,) = found.found(given)
    (kv,) = found.cache(2, 6).values()
    steps = [
        found.found({**given, "tgt": given["tgt"][:, i : i + 1], "kv": kv, "pos": i})[0]
        for i in range(6)
    ]
    assert torch.allclose(torch.cat(steps, dim=1), whole, atol=1e-6)


def test_layers_of_one_stack_may_differ() -> None:
    """A cycle of biased and unbiased layers, one table for those that have one."""
    stack = {"cycle": [{"attn.attention.position_bias": "none"}, {}]}
    layer = {"attn": {"attention": {"heads": HEADS, "position_bias": {"t5": T5}}}, "mlp": MLP}
    graph = {
        "tok": {"embed": {"vocab": 50, "dim": D}, "in": "ids"},
        "h": {"stack": {"repeat": 4, "layer": layer, **stack}},
    }
    found = live(model(graph, defaults=PRE))
    assert (count(found, BiasedAttention), count(found, BucketBias)) == (2, 1)
    assert found.apart(found.inputs(2, 6)) < 1e-6


@pytest.mark.parametrize(
    ("bias", "code"),
    [
        ({"t5": {"buckets": 2, "max_distance": 9}}, "AR0325"),
        ({"t5": {"buckets": 32, "max_distance": 8}}, "AR0325"),
        ({"grid": {"size": 3}}, "AR0326"),
    ],
)
def test_what_does_not_fit_is_said(bias: dict[str, Any], code: str) -> None:
    inputs = {"x": {"features": ["T", D]}}
    y = {"attention": {"heads": HEADS, "position_bias": bias}}
    assert rejected(over(D, {"y": y}) | {"inputs": inputs}).code == code


def test_a_decoder_has_no_grid() -> None:
    found = rejected(with_attention(position_bias={"grid": {"size": 3}}))
    assert found.code == "AR0326"


@pytest.mark.parametrize("bias", [{"alibi": {}}, {"t5": T5}, {"t5": {**T5, "per": "layer"}}])
def test_a_soft_cap_comes_after_the_bias_and_before_the_mask(bias: dict[str, Any]) -> None:
    """Nothing hidden is capped: the mask stays apart from the bias."""
    found = layered(bias, softcap=2.0, mask="causal")
    assert count(found, MaskedBias) == 0
    given = found.inputs(3, 7)
    assert found.apart(given) < 1e-6
    (before,) = found.found(given)
    given["ids"][:, -1] = (given["ids"][:, -1] + 1) % 50
    assert torch.equal(found.found(given)[0][:2, :-1], before[:2, :-1])


@pytest.mark.parametrize("mask", ["full", "causal"])
def test_kept_weights_are_zero_where_the_bias_hides(mask: str) -> None:
    """Written out, attention with what is hidden in its bias is what it was, empty rows too."""
    found = layered({"t5": T5}, mask=mask)
    given = found.inputs(3, 7)
    given["ids_mask"][-1] = False
    kept = Live(keep_weights(found.plain))
    assert torch.allclose(kept.found(given)[0], found.found(given)[0], atol=1e-6)
    weights: Tensor = vars(kept.model.get_submodule("h.0.attn.sdpa"))["kept"][0]
    assert torch.equal(weights[-1], torch.zeros(HEADS, 7, 7).double())
    assert torch.allclose(weights[0].sum(-1), torch.ones(HEADS, 7).double())


@pytest.mark.parametrize("bias", [{"alibi": {}}, {"t5": T5}, {"t5": {**T5, "per": "layer"}}])
def test_packed_documents_are_what_each_is_alone(bias: dict[str, Any]) -> None:
    """Distances within a document are the same wherever it stands in its row."""
    layer = {"attn": {"attention": {"heads": HEADS, "mask": "causal", "position_bias": bias}}}
    graph = {
        "tok": {"embed": {"vocab": 50, "dim": D}, "in": "ids"},
        "h": {"stack": {"repeat": 2, "layer": layer}},
    }
    found = live(model(graph, {"ids": {"tokens": {"segments": True}}}, defaults=PRE))
    ids = torch.randint(50, (1, 9), generator=torch.Generator().manual_seed(0))
    marks = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 2, 2]])
    (packed,) = found.found({"ids": ids, "ids_segments": marks})
    for start, stop in ((0, 3), (3, 7), (7, 9)):
        own = marks[:, start:stop]
        (alone_,) = found.found({"ids": ids[:, start:stop], "ids_segments": own})
        assert torch.allclose(packed[:, start:stop], alone_, atol=1e-6)
