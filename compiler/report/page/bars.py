"""Where parameters, work and bytes go: a stacked bar each."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, total
from compiler.passes.cost import Row
from compiler.passes.setting import Setting
from compiler.report.numbers import share
from compiler.report.page.kinds import kinds, short
from compiler.report.page.sheet import Number, Sheet, moved_bytes

WIDE: Final = 640
LETTER: Final = 6.6
"""Widths of a bar and of a letter in it."""
LEAST: Final = 400
"""A part of a bar is at least the whole divided by this; the others are one."""
REST: Final = ("others", "other")


class Segment(Frozen):
    """A part of a bar: nodes of one name in all layers."""

    name: str
    kind: str
    number: Number
    share: str
    x: float
    width: float

    @property
    def label(self) -> str:
        """What stands in it, where there is room."""
        return f"{self.name.rpartition('.')[2]} {self.share}"

    @property
    def roomy(self) -> bool:
        """Whether its label fits."""
        return self.width > len(self.label) * LETTER + 10


class Bar(Frozen):
    """A whole and its parts, in the order of execution."""

    title: str
    whole: Number
    segments: tuple[Segment, ...]

    @property
    def large(self) -> list[Segment]:
        """A tenth of the whole at least."""
        return [each for each in self.segments if 10 * each.number.value >= self.whole.value]


def bars(sheet: Sheet) -> list[Bar]:
    """Parameters, one forward, what it moves; for a decoder the same of one new token."""
    return [bar for bar in _bars(sheet) if bar.segments]


def _bars(sheet: Sheet) -> Iterator[Bar]:
    costs = sheet.report.costs
    yield _bar(sheet, "parameters", "parameters", _parameters)
    yield _bar(sheet, "FLOP of one forward, matrix products", "FLOP", _work)
    yield _bar(sheet, "bytes that one forward moves", "bytes", moved_bytes)
    if not costs.seen:
        return

    yield _bar(sheet, "FLOP of one more token", "FLOP", _work, step=True)
    yield _bar(sheet, "bytes that one more token moves", "bytes", moved_bytes, step=True)


Counting = Callable[[list[Row], Setting], Poly]


def _parameters(rows: list[Row], _: Setting) -> Poly:
    return total(row.parameters for row in rows)


def _work(rows: list[Row], _: Setting) -> Poly:
    return total(as_poly(row.cost.matmul) for row in rows)


def _bar(sheet: Sheet, title: str, unit: str, counted: Counting, *, step: bool = False) -> Bar:
    whole = sheet.number(partial(counted, _run(sheet, step)), unit, step=step)
    numbers = {}
    for key, rows in _groups(sheet, counted, whole).items():
        number = sheet.number(partial(counted, rows), unit, step=step)
        if number.value:
            numbers[key] = number
    segments, x = [], 0.0
    for (name, kind), number in numbers.items():
        width = WIDE * number.value / whole.value
        part = share(number.value, whole.value)
        segments.append(Segment(name, kind, number, part, x, width))
        x += width
    return Bar(title, whole, tuple(segments))


def _run(sheet: Sheet, step: bool) -> list[Row]:
    """The rows that run; a step leaves the source encoded."""
    return [row for row in sheet.rows if not (step and row.once)]


def _groups(sheet: Sheet, counted: Counting, whole: Number) -> dict[tuple[str, str], list[Row]]:
    """Rows of one name in all layers, norms together; what is hardly anything is one group."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row, kind in zip(sheet.rows, kinds(sheet.rows), strict=True):
        name = "norms" if kind == "norm" else short(row.path)
        if kind == "other":
            name = f"{name.rpartition('.')[0] or 'the'} rest"
        if not (whole.step and row.once):
            found.setdefault((name, kind), []).append(row)
    small = []
    for key, rows in found.items():
        part = sheet.value(counted(rows, sheet.report.setting), step=whole.step)
        if part * LEAST < whole.value and key != REST:
            small.append(key)
    rest = [row for key in small for row in found.pop(key)]
    if rest:
        found[REST] = [*found.pop(REST, []), *rest]
    return found
