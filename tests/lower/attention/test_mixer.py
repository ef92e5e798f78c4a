"""Attention as a designer means it, against torch's own modules and plain formulas."""

from typing import Any

import pytest
import torch

from tests.backends.torch.live import live
from tests.lower.attention.alone import D, alone, heads, torchs
from tests.lower.specs import over, with_attention


@pytest.mark.parametrize("heads", [1, 2, 4, 16])
def test_full_attention_is_torchs(heads: int) -> None:
    found = alone(heads=heads, bias=True)
    x = found.inputs()["x"]
    expected, _ = torchs(found, heads)(x, x, x, need_weights=False)
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_causal_attention_is_torchs_with_a_triangle() -> None:
    found = alone(mask="causal", bias=True)
    x = found.inputs(2, 6)["x"]
    later = torch.ones(6, 6, dtype=torch.bool).triu(1)
    expected, _ = torchs(found)(x, x, x, attn_mask=later, need_weights=False)
    assert torch.allclose(found.found({"x": x})[0], expected)


@pytest.mark.parametrize("mask", ["full", "causal"])
def test_padding_is_not_looked_at(mask: str) -> None:
    found = alone(padded=True, mask=mask, bias=True)
    given = found.inputs(2, 6)
    later = torch.ones(6, 6, dtype=torch.bool).triu(1) if mask == "causal" else None
    pad = ~given["x_mask"]
    x = given["x"]
    expected, _ = torchs(found)(x, x, x, key_padding_mask=pad, attn_mask=later, need_weights=False)
    assert torch.allclose(found.found(given)[0], expected)


@pytest.mark.parametrize(
    ("kv_heads", "head_dim", "value_dim"), [(1, 4, 4), (2, 4, 4), (2, 6, 6), (4, 6, 3), (2, 2, 5)]
)
def test_grouped_and_wide_heads(kv_heads: int, head_dim: int, value_dim: int) -> None:
    found = alone(kv_heads=kv_heads, head_dim=head_dim, value_dim=value_dim)
    x, w = found.inputs()["x"], found.weights
    counts = {"q": 4, "k": kv_heads, "v": kv_heads}
    q, k, v = (heads(x @ w[f"y.{n}.weight"].T, count) for n, count in counts.items())
    k, v = (t.repeat_interleave(4 // kv_heads, dim=1) for t in (k, v))
    weight = torch.softmax(q @ k.mT / head_dim**0.5, dim=-1)
    expected = (weight @ v).transpose(1, 2).flatten(2) @ w["y.o.weight"].T
    assert torch.allclose(found.found({"x": x})[0], expected)
    assert w["y.o.weight"].shape == (D, 4 * value_dim)


def test_the_scale_is_as_written() -> None:
    found = alone(scale=0.5)
    x, w = found.inputs()["x"], found.weights
    q, k, v = (heads(x @ w[f"y.{n}.weight"].T, 4) for n in "qkv")
    expected = (torch.softmax(0.5 * q @ k.mT, dim=-1) @ v).transpose(1, 2).flatten(2)
    assert torch.allclose(found.found({"x": x})[0], expected @ w["y.o.weight"].T)


def test_without_projections_it_is_attention_on_the_inputs() -> None:
    found = alone(heads=1, projections="none")
    x = found.inputs()["x"]
    assert found.weights == {}
    expected = torch.softmax(x @ x.mT / D**0.5, dim=-1) @ x
    assert torch.allclose(found.found({"x": x})[0], expected)


@pytest.mark.parametrize("letters", ["qk", "vo", "kvo", "q"])
def test_only_the_projections_that_are_named_are_there(letters: str) -> None:
    found = alone(projections=letters)
    assert set(found.weights) == {f"y.{letter}.weight" for letter in letters}
    assert found.apart(found.inputs()) <= 1e-9


@pytest.mark.parametrize("letters", ["qkv", "qvo", "o"])
def test_only_the_biases_that_are_named_are_there(letters: str) -> None:
    found = alone(bias=letters)
    biases = {name for name in found.weights if name.endswith("bias")}
    assert biases == {f"y.{letter}.bias" for letter in letters}


def test_cross_attention_reads_the_other_edge() -> None:
    graph = {"y": {"attention": {"heads": 4, "source": "m", "bias": True}, "in": "x"}}
    inputs = {"x": {"features": ["T", D]}, "m": {"vectors": ["N", D]}}
    found = live(over(D, graph) | {"inputs": inputs})
    given = {**found.inputs(2, 5), "m": torch.randn(2, 7, D).double()}
    expected, _ = torchs(found)(given["x"], given["m"], given["m"], need_weights=False)
    assert torch.allclose(found.found(given)[0], expected)


ROPES: list[dict[str, Any]] = [
    {"theta": 10000},
    {"theta": 50, "pairs": "adjacent"},
    {"theta": 10000, "fraction": 0.5},
    {"theta": 10000, "dim": 2, "pairs": "adjacent"},
]


@pytest.mark.parametrize("rope", ROPES)
def test_turned_scores_depend_on_distance_alone(rope: dict[str, Any]) -> None:
    """Su et al. 2021, eq. 11: moving a sequence by some places changes no output but its place."""
    found = alone(mask="causal", rope=rope, head_dim=8)
    x = found.inputs(1, 6)["x"]
    (y,) = found.found({"x": torch.cat((x[:, :1], x), dim=1)})
    (once,) = found.found({"x": x})
    assert torch.allclose(y[:, 1], y[:, 0])
    assert not torch.allclose(y[:, 2:], once[:, 1:])
    plain = alone(mask="causal", head_dim=8)
    assert torch.allclose(once[:, 0], plain.found({"x": x})[0][:, 0])
    assert not torch.allclose(once[:, 1:], plain.found({"x": x})[0][:, 1:])


def test_rope_turns_as_the_paper_says() -> None:
    """Two places and one pair: the score is q·R(1)k, with the rotation written out."""
    found = live(over(2, {"y": {"attention": {"heads": 1, "rope": {"theta": 7.0}}}}))
    x, w = found.inputs(1, 2)["x"], found.weights
    q, k, v = (x[0] @ w[f"y.{n}.weight"].T for n in "qkv")
    angle = torch.tensor(1.0).double()
    turn = torch.stack((angle.cos(), -angle.sin(), angle.sin(), angle.cos())).view(2, 2)
    q, k = (torch.stack((t[0], turn @ t[1])) for t in (q, k))
    expected = torch.softmax(q @ k.T / 2**0.5, dim=-1) @ v @ w["y.o.weight"].T
    assert torch.allclose(found.found({"x": x})[0][0], expected, atol=1e-6)


def test_in_a_decoder_it_is_torchs_sdpa() -> None:
    found = live(with_attention(kv_heads=2))
    text = found.generated.text
    assert "enable_gqa=True" in text
    assert "is_causal=seen_TS is None" in text
    assert "repeat_interleave" not in text
    assert "F.scaled_dot_product_attention(" in text
