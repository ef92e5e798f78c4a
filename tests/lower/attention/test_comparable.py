"""Norms and temperatures of queries and keys, against the published models' own modules."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import Llama4TextConfig
from transformers.models.cohere.modeling_cohere import CohereLayerNorm
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
from transformers.models.llama4.modeling_llama4 import Llama4TextAttention, Llama4TextL2Norm
from transformers.models.olmo2.modeling_olmo2 import Olmo2RMSNorm
from transformers.models.qwen3.modeling_qwen3 import Qwen3RMSNorm
from transformers.models.stablelm.modeling_stablelm import StableLmLayerNormPerHead

from tests.backends.torch.live import Live, live
from tests.lower.attention.alone import alone, heads
from tests.lower.specs import over

Norm = Callable[[Tensor], Tensor]
COUNTS = {"q": 4, "k": 2, "v": 2}


def plain(found: Live, x: Tensor, norms: dict[str, Norm], turn: bool = False) -> Tensor:
    """Attention with normed heads, or turned and then normed ones."""
    w = found.weights
    q, k, v = (heads(x @ w[f"y.{n}.weight"].T, count) for n, count in COUNTS.items())
    if turn:
        rate = 10000.0 ** (-torch.arange(0, 4, 2).repeat(2) / 4)
        angle = torch.outer(torch.arange(x.shape[1]), rate)[None].double()
        q, k = apply_rotary_pos_emb(q, k, angle.cos(), angle.sin())
    q, k = norms["q"](q), norms["k"](k)
    scores = q @ k.repeat_interleave(2, dim=1).mT / 2
    later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    mixed = weights @ v.repeat_interleave(2, dim=1)
    return mixed.transpose(1, 2).flatten(2) @ w["y.o.weight"].T


def loaded(module: Any, weight: Tensor) -> Any:
    """A module of one tensor with this weight."""
    module = module.double()
    module.load_state_dict({"weight": weight})
    return module


def test_over_the_head_is_qwen_3s() -> None:
    found = alone(mask="causal", kv_heads=2, qk_norm={"rms": 1e-3})
    x = found.inputs(2, 6)["x"]
    norms = {n: loaded(Qwen3RMSNorm(4, 1e-3), found.weights[f"y.{n}_norm.weight"]) for n in "qk"}
    assert torch.allclose(found.found({"x": x})[0], plain(found, x, norms), atol=1e-6)


def test_over_all_heads_is_olmo_2s() -> None:
    """The moment is of the whole width: heads of one token share it."""
    found = alone(mask="causal", kv_heads=2, qk_norm={"rms": 1e-3, "over": "all"})
    x, w = found.inputs(2, 6)["x"], found.weights
    assert (w["y.q_norm.weight"].shape, w["y.k_norm.weight"].shape) == ((16,), (8,))

    def whole(name: str) -> Norm:
        norm = loaded(Olmo2RMSNorm(4 * COUNTS[name], 1e-3), w[f"y.{name}_norm.weight"])
        return lambda h: heads(norm(h.transpose(1, 2).flatten(2)), COUNTS[name])

    expected = plain(found, x, {"q": whole("q"), "k": whole("k")})
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


def test_per_head_is_coheres() -> None:
    long = {"layer": {"eps": 1e-3, "bias": False}, "over": "per_head"}
    found = alone(mask="causal", kv_heads=2, qk_norm=long)
    x, w = found.inputs(2, 6)["x"], found.weights

    def each(name: str) -> Norm:
        norm = CohereLayerNorm((COUNTS[name], 4), eps=1e-3)
        norm = loaded(norm, w[f"y.{name}_norm.weight"])
        return lambda h: norm(h.transpose(1, 2)).transpose(1, 2)

    expected = plain(found, x, {"q": each("q"), "k": each("k")})
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


def test_per_head_is_stablelms_list_of_norms() -> None:
    long = {"layer": {"eps": 1e-3, "bias": False}, "over": "per_head"}
    found = alone(mask="causal", kv_heads=2, qk_norm=long)
    x, w = found.inputs(2, 6)["x"], found.weights

    def each(name: str) -> Norm:
        norm = StableLmLayerNormPerHead(4, COUNTS[name], eps=1e-3).double()
        rows = w[f"y.{name}_norm.weight"]
        norm.load_state_dict({f"norms.{n}.weight": row for n, row in enumerate(rows)})
        result: Norm = norm
        return result

    expected = plain(found, x, {"q": each("q"), "k": each("k")})
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["rms", "l2"])
def test_behind_the_turn_is_llama_4s(kind: str) -> None:
    """Llama 4 calls it an L2 norm; it is RMSNorm without a gain, twice as long at four wide
    (but for its epsilon, which an L2 norm has elsewhere: 1e-4)."""
    norm = {"rms": {"eps": 1e-5, "affine": False}} if kind == "rms" else {"l2": 1e-12}
    scale = 0.5 if kind == "rms" else 2.0
    written = {**norm, "when": "after_rope"}
    found = alone(mask="causal", kv_heads=2, rope={"theta": 10000}, qk_norm=written, scale=scale)
    x = found.inputs(2, 6)["x"]
    theirs = Llama4TextL2Norm(1e-5)
    expected = plain(found, x, {"q": theirs, "k": theirs}, turn=True)
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-4 if kind == "l2" else 1e-6)


def test_the_temperature_is_llama_4s() -> None:
    found = alone(mask="causal", kv_heads=2, temperature={"scale": 0.3, "floor": 2})
    x = found.inputs(2, 7)["x"]
    config = Llama4TextConfig(
        hidden_size=16,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=4,
        num_hidden_layers=1,
        no_rope_layers=[0],
        attn_temperature_tuning=True,
        attn_scale=0.3,
        floor_scale=2,
        use_qk_norm=False,
        attention_bias=False,
    )
    config._attn_implementation = "eager"
    theirs = Llama4TextAttention(config, 0).double()
    names = {f"{n}_proj.weight": found.weights[f"y.{n}.weight"] for n in "qkvo"}
    theirs.load_state_dict(names)
    later = torch.ones(7, 7, dtype=torch.bool).triu(1)
    mask = torch.zeros(7, 7).double().masked_fill(later, -1e30)[None, None]
    with torch.no_grad():
        expected = theirs(x, None, mask)[0]
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-6)


def test_temperatures_restart_with_each_document() -> None:
    """Two documents in a row are what each is alone."""
    part = {"heads": 4, "mask": "causal", "temperature": {"scale": 0.5, "floor": 1}}
    inputs = {"x": {"features": {"shape": ["T", 16], "segments": True}}}
    found = live(over(16, {"y": {"attention": part}}) | {"inputs": inputs})
    x = found.inputs(1, 6)["x"]
    marks = torch.tensor([[0, 0, 1, 1, 1, 1]])
    (both,) = found.found({"x": x, "x_segments": marks})
    (second,) = found.found({"x": x[:, 2:], "x_segments": marks[:, 2:]})
    assert torch.allclose(both[:, 2:], second, atol=1e-6)


WORDS: list[dict[str, Any]] = [
    {"qk_norm": {"rms": {"eps": 1e-5, "unit_offset": True}}, "rope": {}},
    {"qk_norm": {"rms": {"eps": 1e-5, "unit_offset": True}, "over": "per_head"}, "value_dim": 3},
    {"qk_norm": "l2", "scale": 3.0, "rope": {}, "clip_qkv": 0.5},
    {"qk_norm": {"layer": 1e-5, "over": "all"}, "clip_qkv": 0.5, "kv_heads": 1},
    {"temperature": {"scale": 0.4, "floor": 3}, "qk_norm": {"layer": 1e-5, "when": "after_rope"}},
]


@pytest.mark.parametrize("options", WORDS)
def test_words_together(options: dict[str, Any]) -> None:
    found = alone(padded=True, mask="causal", **options)
    assert found.apart(found.inputs(3, 6)) <= 1e-6
