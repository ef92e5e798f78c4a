"""What a total of a cost report is: a unit, a meaning and a formula."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from compiler.ir.size import Poly
from compiler.passes.cost import Costs
from compiler.passes.setting import Setting

Unit = Literal["parameters", "FLOP", "MAC", "steps", "bytes"]


@dataclass(frozen=True)
class Metric:
    """A total: its unit, meaning and formula in the letters of the costs' key."""

    unit: Unit
    meaning: str
    formula: Callable[[Costs, Setting], Poly]
    present: Callable[[Costs], bool] = lambda costs: True
    """Whether a model has it at all."""


def elements(count: Callable[[Costs], Poly]) -> Callable[[Costs, Setting], Poly]:
    """The bytes of what counts elements of the model's type."""
    return lambda costs, setting: count(costs) * setting.bytes


def always(count: Callable[[Costs], Poly]) -> Callable[[Costs, Setting], Poly]:
    """What is the same however a model is run."""
    return lambda costs, _: count(costs)
