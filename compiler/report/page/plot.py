"""A plot over the length N, both axes by powers of two."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, value
from compiler.report.numbers import grouped, in_unit
from compiler.report.page.figures import Counted
from compiler.report.page.sheet import Sheet

POWERS: Final = tuple(range(7, 21))
"""Lengths from 128 to a million."""
WIDE, HIGH, LEFT, FOOT, RIGHT, TOP = 520, 300, 78, 34, 16, 10
"""The picture and the room around its axes. The script draws with the same numbers."""


class Series(Frozen):
    """A line: its name, its style, and the place of its formula."""

    name: str
    style: str
    figure: int
    points: tuple[int, ...]


class Line(Frozen):
    """A line as it is drawn."""

    name: str
    style: str
    path: str
    end: tuple[float, float]


class Tick(Frozen):
    """A mark at an axis."""

    at: float
    words: str


class Plot(Frozen):
    """Series over lengths, the letters that are all N, and where the axes lie.

    Attributes:
        now: the length that the report is counted at, 0 where its lengths differ.
        ceiling: a value to compare with, such as the memory of a device; 0 where there is none.
    """

    title: str
    unit: str
    series: tuple[Series, ...]
    letters: tuple[str, ...]
    now: int
    ceiling: int = 0

    @property
    def roof(self) -> str:
        """A line at the ceiling; empty where it lies outside."""
        low, high = self.span
        if not self.ceiling or not low <= math.log2(self.ceiling) <= high:
            return ""
        return f"M{LEFT} {self.y(self.ceiling):g}H{WIDE - RIGHT}"

    @property
    def span(self) -> tuple[int, int]:
        """The powers of two at the lower and the upper end."""
        every = [point for one in self.series for point in one.points if point]
        low = math.floor(math.log2(min(every, default=1)))
        high = math.ceil(math.log2(max(every, default=2)))
        return low, max(high, low + 1)

    @property
    def lines(self) -> list[Line]:
        """The series as paths; what is nothing at a length is left out there."""
        return [self._line(one) for one in self.series if any(one.points)]

    @property
    def below(self) -> list[Tick]:
        """Marks of the lengths."""
        return [Tick(self.x(p), _length(p)) for p in POWERS if p % 2 == 0]

    @property
    def beside(self) -> list[Tick]:
        """Marks of the values, six at most."""
        return [Tick(self.y(one), mark(one, self.unit)) for one in self._marks()]

    def _marks(self) -> list[int]:
        """Six values at most: steps of 1024 for bytes, of ten for others."""
        low, high = self.span
        base = 1024 if self.unit == "bytes" else 10
        powers = [p for p in range(100) if low <= p * math.log2(base) <= high]
        step = -(-len(powers) // 6)
        return [base**p for p in powers if p % max(step, 1) == 0]

    @property
    def marker(self) -> float | None:
        """Where the length of the report lies."""
        if not self.now or not 2 ** POWERS[0] <= self.now <= 2 ** POWERS[-1]:
            return None
        return self.x(math.log2(self.now))

    def x(self, power: float) -> float:
        """Where a length lies."""
        part = (power - POWERS[0]) / (POWERS[-1] - POWERS[0])
        return round(LEFT + part * (WIDE - LEFT - RIGHT), 1)

    def y(self, number: int) -> float:
        """Where a value lies."""
        low, high = self.span
        part = (math.log2(number) - low) / (high - low)
        return round(HIGH - FOOT - part * (HIGH - FOOT - TOP), 1)

    def slope(self, power: int) -> str:
        """A guide line: what grows as N to a power, from the lower left corner of the plot."""
        low, high = self.span
        reach = min(POWERS[-1] - POWERS[0], (high - low) / power)
        ends = (0.0, low), (reach, low + power * reach)
        return "M" + "L".join(f"{self.x(POWERS[0] + x):g} {self._at(y):g}" for x, y in ends)

    def _at(self, power: float) -> float:
        low, high = self.span
        return round(HIGH - FOOT - (power - low) / (high - low) * (HIGH - FOOT - TOP), 1)

    def _line(self, one: Series) -> Line:
        places = [
            (self.x(power), self.y(point))
            for power, point in zip(POWERS, one.points, strict=True)
            if point
        ]
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in places)
        return Line(one.name, one.style, path, places[-1])


def plot(
    sheet: Sheet,
    title: str,
    unit: str,
    wanted: Sequence[tuple[str, str, Counted]],
) -> Plot | None:
    """Lines over N of those figures that are ever more than nothing; None where no length is
    free."""
    report = sheet.report
    letters = tuple(known.name for known in report.costs.free if known.role != "batch")
    if not letters:
        return None
    series = tuple(_series(sheet, letters, wanted))
    lengths = {report.at[name] for name in letters}
    now = lengths.pop() if len(lengths) == 1 else 0
    return Plot(title, unit, series, letters, now) if series else None


def _series(
    sheet: Sheet,
    letters: Sequence[str],
    wanted: Sequence[tuple[str, str, Counted]],
) -> Iterator[Series]:
    for name, style, counted in wanted:
        size = counted(sheet.chosen)
        points = tuple(_at(sheet, size, dict.fromkeys(letters, 2**p)) for p in POWERS)
        if any(points):
            yield Series(name, style, sheet.figures.figure(counted), points)


def _at(sheet: Sheet, size: Poly, lengths: Mapping[str, int]) -> int:
    """A figure at lengths; nothing where it is not whole there."""
    return value(size, {**sheet.report.sizes, **lengths})


def mark(number: int, unit: str) -> str:
    """A round number at an axis."""
    return in_unit(number, unit).replace(".00", "").replace(".0", "")


def _length(power: int) -> str:
    if power < 10:
        return grouped(2**power)
    return f"{2 ** (power - 10)} k" if power < 20 else "1 M"
