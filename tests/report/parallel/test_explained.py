"""Figures of ranks explained: parts that sum to them, each with a rule and its source."""

from typing import Any

import pytest

from compiler.report.parallel.explained import Explained, explained
from compiler.report.parallel.ranks import FIGURES
from compiler.report.parallel.rules import GROUPS, RULES, rule
from tests.report.parallel.spread import gpt2, llama, mixtral

SPREADS: list[tuple[Any, dict[str, int]]] = [
    (gpt2, {"tp": 2, "pp": 2, "dp": 2, "zero": 3, "cp": 2}),
    (gpt2, {"tp": 2, "sp": 0, "dp": 2}),
    (mixtral, {"tp": 2, "dp": 2, "ep": 4, "zero": 1}),
    (llama, {"dp": 4}),
]


def told(model: Any, degrees: dict[str, int], figure: str) -> Explained:
    report = model()
    found = explained(report, report.parallel(**degrees), figure)
    assert found is not None
    return found


@pytest.mark.parametrize(("model", "degrees"), SPREADS)
@pytest.mark.parametrize("figure", ["communication_bytes", "saved_bytes"])
def test_parts_sum_to_the_figure(model: Any, degrees: dict[str, int], figure: str) -> None:
    document = told(model, degrees, figure).document()
    assert sum(part["value"] for part in document["parts"]) == document["value"]
    assert all(part["rule"] and part["source"] for part in document["parts"])


def test_every_figure_is_explained_with_its_numbers() -> None:
    for figure in FIGURES:
        text = told(*SPREADS[0], figure).text()
        assert FIGURES[figure] in text
        (line,) = (line for line in text.splitlines() if line.startswith("in numbers"))
        assert not any(f"{letter}·" in line for letter in "BDTtcdm")


def test_what_is_counted_late_has_its_source() -> None:
    text = told(llama, {"tp": 2}, "communication_bytes").text()
    assert "vocab_parallel_cross_entropy" in text
    assert "inputs of maps, once more: A rank keeps its own part" in text


def test_no_rule_is_for_nothing() -> None:
    """Rules are found by what transfers are called."""
    transfers = [
        one for way in SPREADS for one in told(*way, "communication_bytes").stage.transfers
    ]
    found = {rule(one) for one in transfers}
    assert found == {*RULES.values(), *GROUPS.values()}


def test_a_number_of_no_rank_is_not_explained_here() -> None:
    report = llama()
    assert explained(report, report.parallel(tp=2), "matmul_flops") is None
