"""Mixtures of experts in a cost report: what is active, and what a step of decoding reads."""

import itertools
import json
from fractions import Fraction

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
