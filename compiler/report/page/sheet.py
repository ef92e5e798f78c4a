"""One spec on the page: its report, and its numbers as figures that the script counts again."""

from collections.abc import Callable
from dataclasses import field, replace
from functools import cached_property
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, Size, as_poly, total
from compiler.passes.cost import Row
from compiler.passes.metrics import METRICS, exact
from compiler.passes.metrics.peaks import PEAKS
from compiler.passes.metrics.traffic import read_bytes, written_bytes
from compiler.passes.setting import Kernel, Setting
from compiler.report.costs import CostReport
from compiler.report.device.on_device import OnDevice
from compiler.report.diff.difference import Difference
from compiler.report.formula import formula
from compiler.report.numbers import THIN, grouped, in_unit
from compiler.report.page.figures import Figures, Multiple, spoken
from compiler.report.parallel.degrees import Degrees

MARKS: Final = {"parameters": "p", "steps": "s", "bytes": "b", "FLOP": "F", "MAC": "M"}
Counted = Callable[[Setting], Poly]


class Number(Frozen):
    """A number as it is shown: its place among the figures, its unit, value and formula."""

    figure: int
    unit: str
    value: int
    formula: str
    step: bool = False
    by: Multiple = (0, 1)
    """Its formula in the setting that is shown."""

    @property
    def source(self) -> str:
        """That formula as the script reads it."""
        return spoken(self.by)

    @property
    def place(self) -> str:
        """Its place among the figures, with a `t` where one new position is counted."""
        return f"{self.figure}{'t' * self.step}"

    @property
    def shown(self) -> str:
        """In three figures."""
        return in_unit(self.value, self.unit)

    @property
    def mark(self) -> str:
        """The unit as the script knows it."""
        return MARKS[self.unit]

    @property
    def digits(self) -> str:
        """All digits in groups, with plain spaces."""
        return grouped(self.value).replace(THIN, " ")

    @property
    def exactly(self) -> str:
        """All digits with the unit, and what they are computed by."""
        said = f"{self.digits} {self.unit} = {self.formula}"
        return f"{said}, one new position" if self.step else said


class Sheet(Frozen):
    """A cost report on its way to the page.

    Attributes:
        difference: from the base, where there is one.
        there: the report on a device, where one is named.
        degrees: how it is spread over devices, where that is asked for.
    """

    report: CostReport
    difference: Difference | None = None
    there: OnDevice | None = None
    degrees: Degrees | None = None
    figures: Figures = field(default_factory=Figures)

    def number(self, counted: Counted, unit: str, *, step: bool = False) -> Number:
        """A number that may depend on the setting; with `step`, at one new position."""
        size = counted(self.report.setting)
        value = self.value(size, step=step)
        figure = self.figures.figure(counted)
        return Number(figure, unit, value, formula(size), step, self.figures.multiple(size))

    def value(self, size: Size, *, step: bool = False) -> int:
        """A size as an integer, at one new position with `step`."""
        costs, at = self.report.costs, dict(self.report.at)
        return exact(costs, size, {**at, costs.target: 1} if step else at)

    def fixed(self, size: Size, unit: str) -> Number:
        """A number that is the same in every setting."""
        return self.number(lambda _: as_poly(size), unit)

    @cached_property
    def totals(self) -> dict[str, Number]:
        """Every total that the model has, by its name, but those of memory with all in it: their
        formulas differ with every setting, and a page is small."""
        return {
            name: self.number(self.metric(name), metric.unit)
            for name, metric in METRICS.items()
            if name not in PEAKS and metric.present(self.report.costs)
        }

    def metric(self, name: str, kernel: Kernel | None = None) -> Counted:
        """A total by its name, with one kernel whatever is chosen where one is given."""
        costs, metric = self.report.costs, METRICS[name]

        def counted(setting: Setting) -> Poly:
            return metric.formula(costs, replace(setting, kernel=kernel) if kernel else setting)

        return counted

    @property
    def rows(self) -> tuple[Row, ...]:
        """One for each operator of the folded program."""
        return self.report.costs.rows


def moved_bytes(rows: tuple[Row, ...] | list[Row], setting: Setting) -> Poly:
    """What some rows read and write, each by itself."""
    return total(figure(row, setting) for row in rows for figure in (read_bytes, written_bytes))
