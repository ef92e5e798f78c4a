"""What no fused kernel computes, against the published models' own functions."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers.models.gemma2 import modeling_gemma2
from transformers.models.gpt_oss import modeling_gpt_oss

from tests.backends.torch.live import live
from tests.lower.attention.alone import alone, projected
from tests.lower.specs import over

LOWEST = torch.finfo(torch.float64).min


def published(function: Any, qkv: list[Tensor], mask: Tensor, **options: Any) -> Tensor:
    """The heads that an attention function of a published model gives, side by side."""
    q, k, v = qkv
    module = SimpleNamespace(
        num_key_value_groups=q.shape[1] // k.shape[1],
        training=False,
        sinks=options.pop("sinks", None),
        head_dim=q.shape[-1],
    )
    scale = q.shape[-1] ** -0.5
    found: Tensor = function(module, q, k, v, mask, dropout=0.0, scaling=scale, **options)[0]
    return found.flatten(2)


def hidden(length: int, real: Tensor | None = None) -> Tensor:
    """A mask to be added: no later position and no padding."""
    seen = torch.ones(length, length, dtype=torch.bool).tril()[None, None]
    seen = seen if real is None else seen & real[:, None, None, :]
    return torch.zeros(seen.shape, dtype=torch.float64).masked_fill(~seen, LOWEST)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_a_soft_cap_is_gemma_2s(kv_heads: int) -> None:
    found = alone(mask="causal", softcap=0.7, kv_heads=kv_heads, head_dim=6)
    x = found.inputs(2, 6)["x"]
    qkv = projected(found, x, {"q": 4, "k": kv_heads, "v": kv_heads})
    theirs = published(modeling_gemma2.eager_attention_forward, qkv, hidden(6), softcap=0.7)
    expected = theirs @ found.weights["y.o.weight"].T
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


def test_padding_stays_hidden_under_a_cap() -> None:
    """A cap behind the mask would show it again."""
    found = alone(padded=True, mask="causal", softcap=0.7)
    given = found.inputs(2, 6)
    qkv = projected(found, given["x"], dict.fromkeys("qkv", 4))
    mask = hidden(6, given["x_mask"])
    theirs = published(modeling_gemma2.eager_attention_forward, qkv, mask, softcap=0.7)
    expected = theirs @ found.weights["y.o.weight"].T
    assert torch.allclose(found.found(given)[0], expected, atol=1e-6)


def test_a_sink_is_gpt_osss() -> None:
    found = alone(padded=True, mask="causal", sink=True, kv_heads=2)
    given = found.inputs(2, 6)
    qkv = projected(found, given["x"], {"q": 4, "k": 2, "v": 2})
    mask, sinks = hidden(6, given["x_mask"]), found.weights["y.sink.weight"]
    theirs = published(modeling_gpt_oss.eager_attention_forward, qkv, mask, sinks=sinks)
    assert sinks.shape == (4,)
    expected = theirs @ found.weights["y.o.weight"].T
    assert torch.allclose(found.found(given)[0], expected, atol=1e-6)


def test_clipped_projections() -> None:
    found = alone(mask="causal", clip_qkv=0.6, bias="qkv")
    x = found.inputs(2, 6)["x"]
    maps = {n: (found.weights[f"y.{n}.weight"], found.weights[f"y.{n}.bias"]) for n in "qkv"}
    q, k, v = ((x @ w.T + b).clamp(-0.6, 0.6).unflatten(-1, (4, 4)) for w, b in maps.values())
    scores = torch.einsum("bthk,bshk->bhts", q, k) / 2 + hidden(6)
    expected = torch.einsum("bhts,bshk->bthk", scores.softmax(dim=-1), v).flatten(2)
    assert torch.allclose(found.found({"x": x})[0], expected @ found.weights["y.o.weight"].T)
    assert (q.abs() == 0.6).any()


def test_a_gate_closes_heads_element_by_element() -> None:
    found = alone(gate=True)
    x, w = found.inputs()["x"], found.weights
    plain = alone()
    plain.weights.update({name: w[name] for name in plain.weights if name != "y.o.weight"})
    plain.weights["y.o.weight"] = torch.eye(16).double()
    gate = torch.sigmoid(x @ w["y.gate.weight"].T)
    expected = (plain.found({"x": x})[0] * gate) @ w["y.o.weight"].T
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_additive_scores_are_bahdanaus() -> None:
    """One head over another sequence: v·tanh(W s + U h), appendix A.1.2, pair by pair."""
    graph = {"y": {"attention": {"heads": 1, "source": "m", "score": "additive"}, "in": "x"}}
    inputs = {"x": {"features": ["T", 16]}, "m": {"vectors": ["N", 16]}}
    found = live(over(16, graph) | {"inputs": inputs})
    given, w = {**found.inputs(2, 3), "m": torch.randn(2, 4, 16).double()}, found.weights
    expected = torch.zeros(2, 3, 16).double()
    for b, t in torch.cartesian_prod(torch.arange(2), torch.arange(3)).tolist():
        state, source = w["y.q.weight"] @ given["x"][b, t], given["m"][b]
        scores = [w["y.score.weight"][0] @ (state + w["y.k.weight"] @ h).tanh() for h in source]
        weights = torch.stack(scores).softmax(dim=0)
        expected[b, t] = w["y.o.weight"] @ w["y.v.weight"] @ (weights @ source)
    assert torch.allclose(found.found(given)[0], expected, atol=1e-6)


EVERYTHING: list[dict[str, Any]] = [
    {"softcap": 2.0},
    {"softcap": 2.0, "mask": "causal", "window": 3},
    {"sink": True, "rope": {}},
    {"score": "additive", "mask": "causal", "kv_heads": 2},
    {"score": "additive", "softcap": 0.5, "sink": True, "position_bias": {"alibi": {}}},
    {"sink": True, "softcap": 2.0, "clip_qkv": 0.8, "gate": True, "mask": "causal", "kv_heads": 1},
]


@pytest.mark.parametrize("options", EVERYTHING)
@pytest.mark.parametrize("padded", [False, True])
def test_words_together(options: dict[str, Any], padded: bool) -> None:
    found = alone(padded, **options)
    assert found.apart(found.inputs(3, 6)) <= 1e-6
