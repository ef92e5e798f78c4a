"""Numbers for people, against decimal arithmetic."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.report.numbers import (
    BINARY,
    COUNTS,
    THIN,
    count,
    flops,
    grouped,
    in_unit,
    memory,
    share,
    times,
)


def shown(text: str) -> str:
    return text.replace(THIN, " ")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (count(8_030_261_248), "8.03 B"),
        (count(124_439_808), "124 M"),
        (count(768), "768"),
        (count(1000), "1.00 k"),
        (flops(291_648_307_200), "292 GFLOP"),
        (flops(145_824_153_600, "MAC"), "146 GMAC"),
        (flops(999_500_000), "1.00 GFLOP"),
        (memory(131_072), "128 KiB"),
        (memory(1023), "1 023 B"),
        (memory(1024), "1.00 KiB"),
        (memory(0), "0 B"),
        (grouped(124_439_808), "124 439 808"),
        (grouped(-1234), "-1 234"),
        (share(1, 3), "33.3 %"),
        (share(1, 100_000), "<0.1 %"),
        (share(0, 7), ""),
        (share(7, 7), "100.0 %"),
        (times(4096, 1), "4 096 times"),
        (times(197, 2), "98.5 times"),
        (in_unit(2048, "bytes"), "2.00 KiB"),
        (in_unit(2048, "FLOP"), "2.05 kFLOP"),
        (in_unit(2048, "MAC"), "2.05 kMAC"),
        (in_unit(2048, "parameters"), "2.05 k"),
    ],
)
def test_three_figures(text: str, wanted: str) -> None:
    assert shown(text) == wanted


@given(st.integers(0, 10**17))
def test_a_count_is_within_half_of_its_last_figure(number: int) -> None:
    figure, _, unit = shown(count(number)).partition(" ")
    if unit.isdigit():
        figure, unit = figure + unit, ""
    if unit[:3].isdigit():
        figure, unit = figure + unit[:3], unit[4:]
    scale = Decimal(1000) ** COUNTS.index(unit)
    last = Decimal(1).scaleb(-len(figure.partition(".")[2]))
    rounded = (Decimal(number) / scale).quantize(last, rounding=ROUND_HALF_UP)
    assert Decimal(figure) == rounded
    if number >= 1000 and unit != COUNTS[-1]:
        assert len(figure.replace(".", "")) == 3


@given(st.integers(0, 2**62))
def test_memory_is_in_the_largest_unit_that_holds_it(number: int) -> None:
    unit = shown(memory(number)).rpartition(" ")[2]
    scale = 1024 ** BINARY.index(unit)
    assert number >= scale * 0.999 or unit == "B"
    assert number < scale * 1024


@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_a_share_is_rounded_to_a_tenth(part: int, rest: int) -> None:
    text = shown(share(part, part + rest))
    exact = Decimal(100 * part) / Decimal(part + rest)
    if text == "<0.1 %":
        assert exact < Decimal("0.05")
    else:
        assert abs(Decimal(text.partition(" ")[0]) - exact) <= Decimal("0.05")
