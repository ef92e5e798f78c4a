"""The totals of a cost report: a formula each, by the name that budgets use.

A file for each subject; `METRICS` has them in the order in which reports print them.
"""

from collections.abc import Mapping
from typing import Final

from compiler.ir.size import Poly, Size, value
from compiler.passes.cost import Costs
from compiler.passes.metrics.attention import ATTENTION
from compiler.passes.metrics.cache import CACHE
from compiler.passes.metrics.metric import Metric
from compiler.passes.metrics.traffic import TRAFFIC
from compiler.passes.metrics.training import TRAINING
from compiler.passes.metrics.weights import PARAMETERS, WEIGHTS
from compiler.passes.metrics.work import WORK
from compiler.passes.setting import USUAL, Setting

FORWARD: Final[dict[str, Metric]] = {
    **PARAMETERS,
    **WORK,
    **WEIGHTS,
    **CACHE,
    **TRAFFIC,
    **ATTENTION,
}
"""What a model is and what one forward takes: all that a checked-in report lists."""
METRICS: Final[dict[str, Metric]] = {**FORWARD, **TRAINING}


def formulas(costs: Costs, setting: Setting = USUAL) -> dict[str, Poly]:
    """Every total as a formula in the letters of the costs' key."""
    return {name: metric.formula(costs, setting) for name, metric in METRICS.items()}


def totals(costs: Costs, at: Mapping[str, int], setting: Setting = USUAL) -> dict[str, int]:
    """Every total as an exact integer; `at` has a size for every free letter."""
    return {name: exact(costs, found, at) for name, found in formulas(costs, setting).items()}


def exact(costs: Costs, size: Size, at: Mapping[str, int]) -> int:
    """A formula of the costs as an integer, fixed letters put in."""
    return value(size, {**costs.key.sizes, **at})
