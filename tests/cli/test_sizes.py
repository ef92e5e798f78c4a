"""Sizes are letters with whole numbers, or bytes; everything else is refused with exit code 2."""

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.sizes import byte_count, parse_sizes


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


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5GB", 5_000_000_000),
        ("500 mb", 500_000_000),
        ("2GiB", 2 << 30),
        ("1.5K", 1500),
        ("1.5KiB", 1536),
        ("1.25GB", 1_250_000_000),
        ("1234", 1234),
        ("7B", 7),
    ],
)
def test_bytes(text: str, size: int) -> None:
    assert byte_count(text) == size


@pytest.mark.parametrize("text", ["", "GB", "0", "-1", "1.GB", "5EB", "9" * 30, "5G B", "5GBs"])
def test_what_is_no_number_of_bytes(text: str) -> None:
    with pytest.raises(CannotAnswer):
        byte_count(text)
