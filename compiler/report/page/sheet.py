"""One spec on the page: its report, and its numbers as figures that the script counts again."""

from dataclasses import field
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
from compiler.report.numbers import in_unit
from compiler.report.page.figures import Chosen, Counted, Figures, Multiple, juxtaposed
from compiler.report.parallel.degrees import Degrees

MARKS: Final = {"parameters": "p", "steps": "s", "bytes": "b", "FLOP": "F", "MAC": "M"}
LEFT_OUT: Final = (*PEAKS, "training_forward_peak_bytes")
"""Totals of memory with much in it, whose formulas differ with every setting: a page is small."""
ALONE: Final = Degrees()
"""One device."""


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


class Sheet(Frozen):
    """A cost report on its way to the page.

    Attributes:
        difference: from the base, where there is one.
        there: the report on a device; `named` where somebody asked for this one.
        degrees: how it is spread over devices.
    """

    report: CostReport
    there: OnDevice
    difference: Difference | None = None
    degrees: Degrees = ALONE
    named: bool = False
    figures: Figures = field(default_factory=Figures)

    def number(self, counted: Counted, unit: str, *, step: bool = False) -> Number:
        """A number that may depend on the setting; with `step`, at one new position."""
        size = counted(self.chosen)
        value = self.value(size, step=step)
        figure = self.figures.figure(counted)
        return Number(figure, unit, value, juxtaposed(size), step, self.figures.multiple(size))

    def value(self, size: Size, *, step: bool = False) -> int:
        """A size as an integer, at one new position with `step`."""
        costs, at = self.report.costs, dict(self.report.at)
        return exact(costs, size, {**at, costs.target: 1} if step else at)

    def fixed(self, size: Size, unit: str) -> Number:
        """A number that is the same in every setting."""
        return self.number(lambda _: as_poly(size), unit)

    @cached_property
    def chosen(self) -> Chosen:
        """What formulas depend on, as it is shown at first."""
        degrees = self.degrees
        return Chosen(**vars(self.report.setting), zero=str(degrees.zero), sp=str(degrees.sp))

    @cached_property
    def totals(self) -> dict[str, Number]:
        """Every total that the model has, by its name, but those that a page leaves out."""
        return {
            name: self.number(self.metric(name), metric.unit)
            for name, metric in METRICS.items()
            if name not in LEFT_OUT and name in self.report.formulas
        }

    def metric(self, name: str, kernel: Kernel | None = None) -> Counted:
        """A total by its name, with one kernel whatever is chosen where one is given."""
        costs, metric = self.report.costs, METRICS[name]

        def counted(chosen: Chosen) -> Poly:
            return metric.formula(costs, chosen.with_kernel(kernel) if kernel else chosen)

        return counted

    @property
    def rows(self) -> tuple[Row, ...]:
        """One for each operator of the folded program."""
        return self.report.costs.rows


def moved_bytes(rows: tuple[Row, ...] | list[Row], setting: Setting) -> Poly:
    """What some rows read and write, each by itself."""
    return total(figure(row, setting) for row in rows for figure in (read_bytes, written_bytes))
