"""Scalings of rotary positions: how they are written and the factor on sines and cosines."""

from typing import Any

import pytest
import torch

from archspec.components.attention import Attention
from archspec.components.rope_scaling import (
    LinearScaling,
    Llama3Scaling,
    LongropeScaling,
    ProportionalScaling,
    Scaling,
    YarnScaling,
)
from archspec.source.number import Sized
from tests.archspec.reading import codes, component, node

HEADS = "attention: {heads: 2, head_dim: 16"


def scaling(written: str) -> Scaling:
    found = component(f"{HEADS}, rope: {{scaling: {written}}}}}, in: tok")
    assert isinstance(found, Attention) and found.rope and found.rope.scaling
    return found.rope.scaling


def test_defaults() -> None:
    assert scaling("{linear: {factor: 4}}") == LinearScaling(factor=4.0)
    assert scaling("{proportional: {}}") == ProportionalScaling(factor=1.0)
    made = Llama3Scaling(
        factor=8.0, original=Sized(8192), low_freq_factor=1.0, high_freq_factor=4.0
    )
    assert scaling("{llama3: {factor: 8, original: 2**13}}") == made
    assert scaling("{yarn: {factor: 40, original: 4096}}") == YarnScaling(
        factor=40.0, original=Sized(4096), beta_fast=32.0, beta_slow=1.0, truncate=True
    )


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("linear", {"factor": 4.0}),
        ("dynamic", {"factor": 4.0}),
        ("llama3", {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}),
        ("yarn", {"factor": 40.0}),
        ("yarn", {"factor": 1.0}),
        ("yarn", {"factor": 4.0, "attention_factor": 1.5}),
        ("yarn", {"factor": 40.0, "mscale": 1.0, "mscale_all_dim": 0.707}),
        ("longrope", {"factor": 32.0}),
        ("longrope", {"factor": 0.5}),
        ("longrope", {"attention_factor": 1.5}),
        ("proportional", {"factor": 2.0}),
    ],
)
def test_the_factor_is_that_of_transformers(kind: str, written: dict[str, Any]) -> None:
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    if kind == "longrope":
        written = written | {"short_factor": [1.0] * 8, "long_factor": [2.0] * 8}
    config = LlamaConfig(
        hidden_size=32,
        num_attention_heads=2,
        rope_parameters={
            "rope_type": kind,
            "rope_theta": 10000.0,
            "original_max_position_embeddings": 512,
            **written,
        },
    )
    _, wanted = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"))
    length = {} if kind in ("linear", "proportional") else {"original": 512}
    assert scaling(f"{{{kind}: {written | length}}}").gain == pytest.approx(wanted, rel=1e-12)


def test_lists_are_numbers_or_expressions() -> None:
    written = (
        "{longrope: {original: 4096, factor: 2, short_factor: [1, 2**0], long_factor: [3, 4]}}"
    )
    found = scaling(written)
    assert isinstance(found, LongropeScaling)
    assert (found.short_factor, found.long_factor) == ((1.0, 1.0), (3.0, 4.0))


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("linear", "AR0206"),
        ("{}", "AR0206"),
        ("{ntk: {factor: 4}}", "AR0206"),
        ("{linear: {factor: 4}, yarn: {factor: 4}}", "AR0206"),
        ("{linear: 4}", "AR0104"),
        ("{linear: {}}", "AR0101"),
        ("{linear: {factor: 0}}", "AR0202"),
        ("{dynamic: {factor: 4}}", "AR0101"),
        ("{yarn: {factor: 4, original: 64, alpha: 1}}", "AR0102"),
        ("{yarn: {factor: 4, original: 64, beta_slow: 32}}", "AR0240"),
        ("{yarn: {factor: 4, original: 64, mscale: 1}}", "AR0101"),
        ("{yarn: {factor: 4, original: 64, mscale_all_dim: 1}}", "AR0101"),
        (
            "{yarn: {factor: 4, original: 64, mscale: 1, mscale_all_dim: 1, attention_factor: 2}}",
            "AR0206",
        ),
        ("{llama3: {factor: 4, original: 64, low_freq_factor: 5}}", "AR0240"),
        ("{longrope: {original: 4, factor: 2, short_factor: [], long_factor: [1]}}", "AR0104"),
        ("{longrope: {original: 4, factor: 2, short_factor: [1], long_factor: 1}}", "AR0104"),
        ("{longrope: {original: 4, factor: 2, short_factor: [1], long_factor: [0]}}", "AR0202"),
        ("{longrope: {original: 4, factor: 2, short_factor: [1], long_factor: [1, 2]}}", "AR0241"),
        ("{longrope: {original: 1, factor: 2, short_factor: [1], long_factor: [1]}}", "AR0202"),
        ("{longrope: {original: 4, short_factor: [1], long_factor: [1]}}", "AR0101"),
        (
            "{longrope: {original: 4, factor: 2, attention_factor: 2, short_factor: [1],"
            " long_factor: [1]}}",
            "AR0206",
        ),
    ],
)
def test_what_is_no_scaling(written: str, code: str) -> None:
    assert codes(node(f"{HEADS}, rope: {{scaling: {written}}}}}, in: tok")) == [code]
