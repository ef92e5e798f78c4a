"""Latent attention in the language."""

import pytest

from archspec.components.attention import Attention
from archspec.components.latent import Latent
from archspec.source.number import Sized
from tests.archspec.reading import codes, component, node

LATENT = "latent: {kv_rank: 8, nope_dim: 4, rope_dim: 2, v_dim: 4}"


def test_defaults() -> None:
    found = component(f"attention: {{heads: 4, {LATENT}}}, in: tok")
    assert isinstance(found, Attention)
    assert found.latent == Latent(
        q_rank=None,
        kv_rank=Sized(8),
        nope_dim=Sized(4),
        rope_dim=Sized(2),
        v_dim=Sized(4),
        eps=1e-6,
    )


@pytest.mark.parametrize(
    "more",
    [
        *("", "rope: {}", "rope: {pairs: adjacent, scaling: {linear: {factor: 4}}}"),
        *("mask: causal, window: 4", "chunk: 2", "segments: false", "scale: 0.1", "kv_heads: 4"),
        *("bias: false", "score: scaled_dot"),
    ],
)
def test_what_goes_with_it(more: str) -> None:
    assert codes(node(f"attention: {{heads: 4, {LATENT}, {more}}}, in: tok")) == []


@pytest.mark.parametrize(
    "more",
    [
        *("kv_heads: 2", "head_dim: 8", "value_dim: 8", "source: tok", "score: dot", "bias: true"),
        *("projections: qkv", "softcap: 5", "sink: true", "gate: true", "clip_qkv: 5"),
        *(
            "qk_norm: {rms: 1e-6}",
            "position_bias: {alibi: {}}",
            "temperature: {scale: 0.1, floor: 8}",
        ),
        *("rope: {dim: 2}", "rope: {fraction: 0.5}"),
    ],
)
def test_what_does_not(more: str) -> None:
    found = codes(node(f"attention: {{heads: 4, {LATENT}, {more}}}, in: tok"))
    assert "AR0242" in found


@pytest.mark.parametrize(
    ("latent", "code"),
    [
        ("{kv_rank: 8, nope_dim: 4, rope_dim: 3, v_dim: 4}", "AR0210"),
        ("{kv_rank: 0, nope_dim: 4, rope_dim: 2, v_dim: 4}", "AR0202"),
        ("{kv_rank: 8, nope_dim: 4, v_dim: 4}", "AR0101"),
        ("{kv_rank: 8, nope_dim: 4, rope_dim: 2, v_dim: 4, q_norm: {rms: 1e-6}}", "AR0102"),
        ("8", "AR0104"),
    ],
)
def test_what_is_no_latent_vector(latent: str, code: str) -> None:
    assert codes(node(f"attention: {{heads: 4, latent: {latent}}}, in: tok")) == [code]
