"""Mixtures of experts in a cost report: what is active, and what a step of decoding reads."""

import itertools
import json
from fractions import Fraction
from typing import Any

import pytest

from archspec.load import load
from compiler.report.mixtures import Mixture
from tests.passes.samples import LLAMA, named
from tests.report.reports import of, report

MIXTRAL = "decoder/mixtral-8x7b"


@pytest.mark.parametrize(
    ("experts", "chosen", "batch"), [(4, 1, 3), (4, 2, 2), (5, 2, 3), (3, 3, 2)]
)
def test_touched_experts_are_the_mean_over_all_choices(
    experts: int, chosen: int, batch: int
) -> None:
    """Every way in which tokens can choose, each as likely as any other, counted one by one."""
    ways = list(itertools.combinations(range(experts), chosen))
    rounds = list(itertools.product(ways, repeat=batch))
    distinct = sum(len(set(itertools.chain(*each))) for each in rounds)
    assert Mixture("", experts, chosen).touched(batch) == Fraction(distinct, len(rounds))


def test_the_published_counts() -> None:
    totals = report(MIXTRAL, B=1, T=2048).totals
    assert totals["parameters"] == 46_702_792_704
    assert totals["parameters_active"] == 12_879_925_248
    assert totals["matmul_flops"] == 54_417_235_640_320
    assert totals["matmul_flops_causal"] == 53_318_260_883_456
    assert totals["linear_flops"] == 51_681_341_472_768 + 536_870_912_000
    assert totals["attention_flops"] == 2_199_023_255_552
    assert totals["kv_bytes_per_token"] == 131_072


def test_all_experts_cost_what_all_experts_cost() -> None:
    """With all eight chosen the FLOPs are those of a dense layer as wide as eight."""
    found = of(named(MIXTRAL, top_k=8), B=1, T=2048)
    assert found.totals["matmul_flops"] == 192_955_700_740_096
    assert found.totals["parameters_active"] == found.totals["parameters"]


@pytest.mark.parametrize(("batch", "experts"), [(1, "2 experts"), (8, "7.2 experts")])
def test_the_first_lines_say_what_is_active_and_read(batch: int, experts: str) -> None:
    (line,) = [x for x in report(MIXTRAL, B=batch).text().splitlines() if x.startswith("experts")]
    assert line.split()[1:4] == ["2", "of", "8"]
    assert "12.9" in line
    assert f"{experts} a layer read by a decoding step of {batch}" in line


def test_the_document_has_every_router() -> None:
    found = json.loads(json.dumps(report(MIXTRAL, B=2, T=64).document()))
    (mixture,) = found["mixtures"]
    assert mixture == {
        "path": "h.0..32.mlp.router",
        "experts": 8,
        "experts_per_token": 2,
        "touched_decoding": 3.5,
    }


def shared(**moe: Any) -> dict[str, Any]:
    """Qwen1.5-MoE-A2.7B: 24 layers of 60 experts, four of them for a token, and a shared one."""
    network = {"act": "silu", "gated": True}
    body = {
        "experts": 60,
        "top_k": 4,
        "expert": {**network, "hidden": 1408},
        "shared": {**network, "hidden": 5632, "token_gate": True},
        **moe,
    }
    attention = {"heads": 16, "mask": "causal", "bias": "qkv", "rope": {"theta": 1000000}}
    return {
        "name": "qwen",
        "inputs": {"ids": {"tokens": {"max": 8192}}},
        "defaults": {"norm": {"rms": 1e-6}, "norm_at": "pre"},
        "graph": {
            "tok": {"embed": {"vocab": 151936, "dim": 2048}, "in": "ids"},
            "h": {
                "stack": {
                    "repeat": 24,
                    "layer": {"attn": {"attention": attention}, "mlp": {"moe": body}},
                }
            },
            "final": {"norm": {"rms": 1e-6}},
            "logits": {"unembed": {"vocab": 151936}},
        },
    }


def test_a_shared_expert_is_active_for_every_token() -> None:
    """The published model has 14.3 B parameters, 2.7 B of them active."""
    D, attention = 2048, 4 * 2048**2 + 3 * 2048
    always = attention + 2 * D + 60 * D + 3 * D * 5632 + D
    around = 2 * 151936 * D + D
    totals = of(load(shared()), B=1, T=1).totals
    assert totals["parameters"] == around + 24 * (always + 60 * 3 * D * 1408) == 14_315_784_192
    assert totals["parameters_active"] == around + 24 * (always + 4 * 3 * D * 1408)
    assert round(totals["parameters_active"] / 1e9, 1) == 2.7
    token = 2 * (always - 3 * 2048 - 2 * D + 4 * 3 * D * 1408)
    assert totals["linear_flops"] == 24 * token + 2 * 151936 * D


def test_a_correction_is_no_parameter_and_groups_read_as_many_experts() -> None:
    """DeepSeek's 14 848 numbers are not among its parameters; chance is alike for every expert."""
    plain = of(load(shared()), B=4, T=1)
    router = {"score": "sigmoid", "correction": True, "groups": 6, "top_groups": 2}
    grouped = of(load(shared(router=router)), B=4, T=1)
    assert grouped.totals["parameters"] == plain.totals["parameters"]
    read = [each.document()["mixtures"][0]["touched_decoding"] for each in (plain, grouped)]
    assert read[0] == read[1] == pytest.approx(60 * (1 - (56 / 60) ** 4))


def test_a_dense_model_says_nothing_of_experts() -> None:
    dense = of(load(LLAMA))
    assert dense.document()["mixtures"] == []
    assert dense.totals["parameters_active"] == dense.totals["parameters"]
    assert "experts" not in dense.text()
    assert "parameters_active" not in dense.markdown()
    assert "parameters_active" in report(MIXTRAL).markdown()


def test_a_budget_may_limit_what_is_active() -> None:
    spec = load({**LLAMA, "budget": {"parameters_active": 10_000}})
    (verdict,) = of(spec).verdicts
    assert not verdict.ok
