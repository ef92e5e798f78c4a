"""Numbers and places in words."""

from dataclasses import replace

import pytest

from archspec.source.span import Span
from compiler.report.diff.change import Cause
from compiler.report.diff.wording import absolute, lines, places, relative
from tests.passes.samples import named
from tests.report.diff.test_costs import compared


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (100, 100, "same"),
        (0, 0, "same"),
        (0, 5, "new"),
        (100, 0, "\u2212100.0 %"),
        (1000, 1001, "+0.1 %"),
        (3, 4, "+33.3 %"),
        (3, 2, "\u221233.3 %"),
        (200, 199, "\u22120.5 %"),
        (10**9, 10**9 + 1, "+<0.1 %"),
        (2, 20, "10.0 times"),
        (10, 99, "+890.0 %"),
        (7, 70_000, "10 000 times"),
    ],
)
def test_percent_of_what_was(before: int, after: int, said: str) -> None:
    assert relative(before, after).replace("\u202f", " ") == said


@pytest.mark.parametrize(
    ("before", "after", "unit", "said"),
    [
        (5, 5, "bytes", ""),
        (0, 2048, "bytes", "+2.00 KiB"),
        (3 * 10**12, 10**12, "FLOP", "\u22122.00 TFLOP"),
        (10**9, 3 * 10**9, "parameters", "+2.00 B"),
    ],
)
def test_signed_differences(before: int, after: int, unit: str, said: str) -> None:
    assert absolute(before, after, unit).replace("\u202f", " ") == said


def at(file: str, line: int) -> Span:
    return Span(file, line, 1, line, 2)


@pytest.mark.parametrize(
    ("before", "after", "whole", "short"),
    [
        (at("s/a.yaml", 3), at("s/a.yaml", 3), "dims.d, a.yaml:3", "a.yaml:3 d"),
        (at("s/a.yaml", 3), at("s/a.yaml", 4), "dims.d, a.yaml:3 → 4", "a.yaml:4 d"),
        (at("s/a.yaml@main", 3), at("s/a.yaml", 4), "dims.d, a.yaml:3 → 4", "a.yaml:4 d"),
        (at("s/a.yaml", 3), at("s/b.yaml", 3), "dims.d, a.yaml:3 → b.yaml:3", "b.yaml:3 d"),
        (at("s/a.yaml", 3), at("t/a.yaml", 3), "dims.d, s/a.yaml:3 → t/a.yaml:3", "a.yaml:3 d"),
        (at("a.yaml", 3), at("--set", 1), "dims.d, a.yaml:3 → --set d=4", "--set d=4"),
        (None, at("a.yaml", 3), "dims.d, a.yaml:3", "a.yaml:3 d"),
        (at("a.yaml", 3), None, "dims.d, a.yaml:3", "a.yaml:3 d"),
        (at("", 3), at("", 4), "dims.d", "d"),
    ],
)
def test_where_a_cause_is_said(
    before: Span | None, after: Span | None, whole: str, short: str
) -> None:
    plain = compared(named("decoder/gpt2"), named("decoder/gpt2"))
    found = replace(plain, after=replace(plain.after, settings=("d=4",)))
    cause = Cause("dims.d", before, after)
    assert places(found, [cause]) == whole
    assert lines(found, [cause]) == short


def test_causes_of_one_line_stand_together_and_few_are_named() -> None:
    found = compared(named("decoder/gpt2"), named("decoder/gpt2"))
    causes = [Cause(f"dims.d{i}", at("a.yaml", 3), at("a.yaml", 3)) for i in range(6)]
    assert lines(found, causes) == "a.yaml:3 d0, d1, d2, d3; 2 more"
    assert places(found, causes[:4]).endswith("; and 1 more")
