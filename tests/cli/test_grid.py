"""Grids: every batch with every length, once each, and no other letters."""

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.grid import parse_grid


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ([], [(1, 128)]),
        (["B=1,2", "T=8,16"], [(1, 8), (1, 16), (2, 8), (2, 16)]),
        (["T=9,9"], [(1, 9)]),
        (["B=2,T=8"], [(2, 8)]),
        (["T=8,16,B=1,2"], [(1, 8), (1, 16), (2, 8), (2, 16)]),
    ],
)
def test_every_batch_with_every_length(said: list[str], found: list[tuple[int, int]]) -> None:
    assert list(parse_grid(said)) == found


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (["S=1"], "not the batch"),
        (["T"], "not a list"),
        (["T=1,x"], "not a list"),
        (["T=-1"], "not a list"),
        (["T=0"], "out of range"),
        (["T=9999999999"], "out of range"),
        (["B=1", "B=2"], "given twice"),
        (["B=1,B=2"], "given twice"),
        (["B=1,S=8"], "not the batch"),
    ],
)
def test_other_sizes_are_refused(said: list[str], why: str) -> None:
    with pytest.raises(CannotAnswer, match=why):
        parse_grid(said)
