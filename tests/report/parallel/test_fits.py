"""Degrees that do not divide are refused, each at its word and at the line that says the size."""

from typing import Any

import pytest

from archspec.load import load
from archspec.source.diagnostic import Diagnostic, exit_status
from compiler.report.costs import CostReport
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.fits import misfits
from tests.passes.samples import named
from tests.report.parallel.spread import counted, gpt2, llama, mixtral


def found(report: CostReport, **degrees: int) -> list[Diagnostic]:
    wrong = list(misfits(report.costs, report.at, Degrees(**degrees)))
    assert exit_status(wrong) == (2 if wrong else 0)
    return wrong


def marked(diagnostic: Diagnostic) -> str:
    """What the caret is under."""
    span = diagnostic.primary.span
    return diagnostic.primary.line[span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize(
    ("degrees", "sizes"),
    [
        ({"tp": 4}, ["2 key/value heads"]),
        ({"tp": 3}, ["4 query heads", "2 key/value heads", "40 hidden units"]),
    ],
)
def test_sizes_that_do_not_come_out_even(degrees: dict[str, Any], sizes: list[str]) -> None:
    wrong = found(llama(), **degrees)
    assert [one.code for one in wrong] == ["AR0955"] * len(sizes)
    assert [one.others[0].text for one in wrong] == sizes
    assert "divide" in wrong[0].help


@pytest.mark.parametrize(
    ("degrees", "said", "word"),
    [
        ({"pp": 4}, "4 stages cannot share 3 layers", "pp=4"),
        (
            {"pp": 3, "interleave": 2, "microbatches": 3},
            "6 pieces cannot share 3 layers",
            "interleave=2",
        ),
    ],
)
def test_more_pieces_than_layers(degrees: dict[str, Any], said: str, word: str) -> None:
    (wrong,) = found(llama(), **degrees)
    assert (wrong.code, wrong.message, marked(wrong)) == ("AR0955", said, word)
    assert wrong.others[0].text == "3 layers"
    assert found(llama(), pp=2) == []


def test_the_line_of_the_spec_is_shown() -> None:
    (heads, hidden) = found(gpt2(), tp=5)
    assert marked(heads) == "tp=5"
    assert (heads.others[0].text, hidden.others[0].text) == ("4 query heads", "96 hidden units")
    assert heads.others[0].span.file.endswith("gpt2.yaml")
    assert (heads.others[0].span.line, hidden.others[0].span.line) == (20, 21)


def test_experts_that_do_not_come_out_even() -> None:
    (wrong,) = found(mixtral(), ep=3, dp=3)
    assert (wrong.code, marked(wrong), wrong.others[0].text) == ("AR0955", "ep=3", "8 experts")


def test_a_vocabulary_may_come_out_uneven_and_one_key_head_stays_whole() -> None:
    assert found(llama(vocab=97, groups=1), tp=4) == []


@pytest.mark.parametrize(
    ("spec", "degrees"),
    [
        ("decoder/gpt2", {"ep": 2, "dp": 2}),
        ("encoder-decoder/t5-small", {"pp": 2}),
        ("history/03-luong-general", {"pp": 2}),
        ("history/14-primitives-convolution", {"cp": 2}),
        ("history/14-primitives-recurrence", {"cp": 2}),
    ],
)
def test_nothing_to_share_out(spec: str, degrees: dict[str, Any]) -> None:
    (wrong,) = found(counted(named(spec)), **degrees)
    assert wrong.code == "AR0956"


def test_a_mapping_has_no_sequence_to_cut() -> None:
    spec = {
        "name": "plain",
        "inputs": {"x": {"vectors": [4, 8]}},
        "graph": {"y": {"linear": {"dim": 4}, "in": "x"}},
    }
    (wrong,) = found(counted(load(spec)), cp=2)
    assert wrong.code == "AR0956"


@pytest.mark.parametrize(
    ("degrees", "word"),
    [
        ({"ep": 8, "dp": 4}, "ep=8"),
        ({"tp": 2, "sp": 0}, "sp=0"),
        ({"interleave": 2}, "interleave=2"),
        ({"pp": 2, "interleave": 2, "microbatches": 3}, "microbatches=3"),
    ],
)
def test_degrees_that_do_not_go_together(degrees: dict[str, Any], word: str) -> None:
    (wrong,) = found(mixtral(), **degrees)
    assert (wrong.code, marked(wrong)) == ("AR0957", word)


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert {one.code for one in found(mixtral(), tp=3, pp=5, ep=5)} == {"AR0955", "AR0957"}


@pytest.mark.parametrize("degrees", [{"tp": 0}, {"zero": 4}, {"dp": -1}])
def test_numbers_that_are_no_degrees(degrees: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must lie between"):
        Degrees(**degrees)


def test_every_rank_of_a_sequence_has_a_position() -> None:
    report = llama()
    positions = report.at["T"]
    assert found(report, cp=positions) == []
    (wrong,) = found(report, cp=positions + 1)
    assert (wrong.code, wrong.primary.text) == ("AR0955", f"more than {positions}")
    assert marked(wrong) == f"cp={positions + 1}"
