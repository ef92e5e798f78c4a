"""Which kernel an attention gets, why, and what grows with it."""

from typing import Any

import pytest

from compiler.report.kernels import kernels
from tests.lower.specs import program, with_attention

FUSED, EXPLICIT = "scaled_dot_product_attention", "explicit_attention"
CHOICES: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, FUSED, "O(N): a log-sum-exp a row", "the causal mask is built into the kernel"),
    ({"window": 8}, FUSED, "a mask of S·T booleans", "a window of 8 needs a mask"),
    ({"softcap": 30}, EXPLICIT, "O(N²): B·H·S·T scores", "no fused kernel caps scores"),
    ({"sink": True}, EXPLICIT, "O(N²): B·H·S·T scores", "no fused kernel takes a sink"),
    ({"score": "additive"}, EXPLICIT, "B·H·K·S·T sums", "no fused kernel adds queries and keys"),
    ({"sink": True, "kv_heads": 2}, EXPLICIT, "O(N²)", "keys and values are repeated"),
    ({"qk_norm": {"rms": 1e-6}, "clip_qkv": 8, "gate": True}, FUSED, "O(N)", "built into"),
]


@pytest.mark.parametrize(("options", "call", "law", "reason"), CHOICES)
def test_the_kernel_is_chosen_by_what_the_attention_says(
    options: dict[str, Any], call: str, law: str, reason: str
) -> None:
    found = kernels(program(with_attention(**options)))
    assert found
    for each in found:
        assert each.call == call
        assert law in each.law
        assert reason in each.reason
