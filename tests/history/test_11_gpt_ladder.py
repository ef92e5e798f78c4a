"""The ladder from GPT-2 small to GPT-3 175B: one spec, its sizes set, against published counts."""

import pytest

from compiler.pipeline import cost
from compiler.report.costs import CostReport
from tests.history.chapter import SPECS

GPT2 = {
    # layers, width, heads: parameters (model cards)
    (12, 768, 12): 124_439_808,
    (24, 1024, 16): 354_823_168,
    (36, 1280, 20): 774_030_080,
    (48, 1600, 25): 1_557_611_200,
}
GPT3 = {
    # layers, width, heads: millions, training FLOPs (Brown et al. 2020, tables 2.1 and D.1). 13B is
    # printed with a width of 5140, which its count contradicts; 1.3B with 24 heads of 128 in 2048.
    (12, 768, 12): (125, 2.25e20),
    (24, 1024, 16): (356, 6.41e20),
    (24, 1536, 16): (760, 1.37e21),
    (24, 2048, 16): (1_320, 2.38e21),
    (32, 2560, 32): (2_650, 4.77e21),
    (32, 4096, 32): (6_660, 1.20e22),
    (40, 5120, 40): (12_850, 2.31e22),
    (96, 12288, 96): (174_600, 3.14e23),
}
VOCAB, TOKENS = 50257, 300e9
Rung = tuple[int, int, int]


def rung(sizes: Rung, places: int) -> CostReport:
    named = dict(zip(("n_layers", "d_model", "n_heads"), sizes, strict=True), max_len=places)
    return cost(str(SPECS / "11-gpt-ladder.yaml"), set=[f"{k}={v}" for k, v in named.items()])


def formula(sizes: Rung, places: int) -> int:
    """L (12 D² + 13 D) + 2 D in the layers, (V + P) D in the tables."""
    layers, width, _ = sizes
    return layers * (12 * width**2 + 13 * width) + 2 * width + (VOCAB + places) * width


@pytest.mark.parametrize(("sizes", "published"), GPT2.items(), ids=str)
def test_gpt_2(sizes: Rung, published: int) -> None:
    assert rung(sizes, 1024).totals["parameters"] == published == formula(sizes, 1024)


@pytest.mark.parametrize(("sizes", "published"), GPT3.items(), ids=str)
def test_gpt_3(sizes: Rung, published: tuple[int, float]) -> None:
    """Its training costs six FLOPs a parameter and token, 300 G tokens long."""
    found = rung(sizes, 2048).totals["parameters"]
    millions, flops = published
    assert found == formula(sizes, 2048)
    assert found == pytest.approx(millions * 1e6, rel=4e-3)
    assert 6 * found * TOKENS == pytest.approx(flops, rel=6e-3)


@pytest.mark.parametrize("sizes", GPT3, ids=str)
def test_flops_of_a_sequence(sizes: Rung) -> None:
    """Kaplan et al. 2020, table 1, 2 (N + L T D) a token, whose attention counts every pair twice.

    N are the 12 L D² weights of the layers; scores and mixtures are 2 T D each, and V D the logits.
    """
    layers, width, _ = sizes
    per_token = 2 * (12 * layers * width**2) + 4 * layers * 2048 * width + 2 * VOCAB * width
    assert rung(sizes, 2048).totals["matmul_flops"] == 2048 * per_token
