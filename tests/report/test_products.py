"""The four matrix products of attention: nothing is left out, nothing counted twice."""

import pytest

from tests.report.reports import report

SPECS = (
    "decoder/gpt2",
    "decoder/llama3-8b",
    "encoder-decoder/transformer-base",
    "encoder-decoder/whisper-tiny",
    "vision/vit-b16-cls",
)
LAWS = {"qkv": "O(N·D²)", "scores": "O(N²·D)", "mix": "O(N²·D)", "out": "O(N·D²)"}
"""Vaswani et al. 2017, table 1, a product at a time."""


@pytest.mark.parametrize("name", SPECS)
def test_scores_and_mixtures_are_all_products_of_positions(name: str) -> None:
    found = report(name).document()
    pairs = [p for p in found["attention_products"] if p["product"] in ("scores", "mix")]
    assert sum(p["matmul_flops"] for p in pairs) == found["totals"]["attention_flops"]


@pytest.mark.parametrize("name", SPECS)
def test_projections_are_rows_of_the_report(name: str) -> None:
    found = report(name).document()
    for product, names in (("qkv", {"q", "k", "v"}), ("out", {"o"})):
        rows = [r for r in found["rows"] if r["path"].rpartition(".")[2] in names]
        named = [p for p in found["attention_products"] if p["product"] == product]
        assert sum(p["matmul_flops"] for p in named) == sum(r["matmul_flops"] for r in rows)


def test_grouped_queries_make_projections_smaller_and_scores_no_smaller() -> None:
    """Llama 3 8B: 32 query heads and 8 key heads of 128 in a width of 4096, 32 layers."""
    found = report("decoder/llama3-8b", B=1, T=64, S=64).document()["attention_products"]
    by_name = {p["product"]: p["matmul_flops"] for p in found}
    assert by_name["qkv"] == 32 * 2 * 64 * 4096 * (32 + 8 + 8) * 128
    assert by_name["scores"] == by_name["mix"] == 32 * 2 * 64 * 64 * 32 * 128


@pytest.mark.parametrize("name", SPECS)
def test_products_grow_by_one_law_whatever_is_before_attention(name: str) -> None:
    found = report(name).document()["attention_products"]
    assert all(p["law"] == LAWS[p["product"]] for p in found)


def test_a_terminal_has_one_line_an_attention() -> None:
    lines = report("encoder-decoder/transformer-base").text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("attention  "))
    assert "scores O(N²·D)" in lines[head]
    assert [line.split()[0].rpartition(".")[2] for line in lines[head + 2 : head + 5]] == [
        "self",
        "self",
        "cross",
    ]
