"""What a total of a cost report is: a unit, a meaning and a formula."""

from collections.abc import Callable
from typing import Literal

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, total
from compiler.passes.cost import Costs, Row
from compiler.passes.setting import Setting

Unit = Literal["parameters", "FLOP", "MAC", "steps", "bytes"]


class Metric(Frozen):
    """A total: its unit, meaning and formula in the letters of the costs' key."""

    unit: Unit
    meaning: str
    formula: Callable[[Costs, Setting], Poly]
    present: Callable[[Costs], bool] = lambda costs: True
    """Whether it can be counted of a model."""
    tells: Callable[[Costs], bool] = lambda costs: True
    """Whether it tells something of a model; it is listed only where it does."""


def elements(count: Callable[[Costs], Poly]) -> Callable[[Costs, Setting], Poly]:
    """The bytes of what counts elements of the model's type."""
    return lambda costs, setting: count(costs) * setting.bytes


def always(count: Callable[[Costs], Poly]) -> Callable[[Costs, Setting], Poly]:
    """What is the same however a model is run."""
    return lambda costs, _: count(costs)


def one_step(costs: Costs, size: Poly) -> Poly:
    """A formula for one new position after S - 1 seen ones."""
    return size.at({costs.target: 1})


def decoding(figure: Callable[[Row, Setting], Poly]) -> Callable[[Costs, Setting], Poly]:
    """What rows come to in one step, the source encoded; nothing where there is no cache."""

    def formula(costs: Costs, setting: Setting) -> Poly:
        if not costs.seen:
            return as_poly(0)
        found = total(figure(row, setting) for row in costs.rows if not row.once)
        return one_step(costs, found)

    return formula
