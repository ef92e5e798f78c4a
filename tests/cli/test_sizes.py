"""`--at` reads letters and whole numbers, and refuses everything else with exit code 2."""

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.sizes import parse_sizes


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("", {}),
        ("B=1", {"B": 1}),
        ("B=2, S=8192", {"B": 2, "S": 8192}),
        ("S=131_072,", {"S": 131072}),
        ("D2=64", {"D2": 64}),
    ],
)
def test_reads(text: str, sizes: dict[str, int]) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    "text", ["B", "B=", "=1", "B=-1", "B=1.5", "B=x", "B=0", "B=1,B=2", "B=1;S=2", "B=" + "9" * 99]
)
def test_refuses(text: str) -> None:
    with pytest.raises(CannotAnswer):
        parse_sizes(text)
