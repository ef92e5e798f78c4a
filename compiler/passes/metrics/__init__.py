"""The totals of a cost report: a formula each, by the name that budgets use.

A file for each subject; `METRICS` has them in the order in which reports print them.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, Generic, TypeVar

from compiler.ir.size import Poly, Size, value
from compiler.passes.cost import Costs
from compiler.passes.metrics.attention import ATTENTION
from compiler.passes.metrics.cache import CACHE
from compiler.passes.metrics.memory import MEMORY
from compiler.passes.metrics.metric import Metric
from compiler.passes.metrics.peaks import PEAKS
from compiler.passes.metrics.traffic import TRAFFIC
from compiler.passes.metrics.training import TRAINING
from compiler.passes.metrics.weights import PARAMETERS, WEIGHTS
from compiler.passes.metrics.work import WORK
from compiler.passes.setting import USUAL, Setting

FORWARD: Final[dict[str, Metric]] = {
    **PARAMETERS,
    **WORK,
    **WEIGHTS,
    **MEMORY,
    **CACHE,
    **TRAFFIC,
    **ATTENTION,
}
"""What a model is and what one forward takes: all that a checked-in report lists."""
METRICS: Final[dict[str, Metric]] = {**FORWARD, **TRAINING, **PEAKS}
Figure = TypeVar("Figure")


class Figures(Mapping[str, Figure], Generic[Figure]):
    """The totals that can be counted of a model, each worked out when it is first read: who wants
    parameters does not wait for memory. Those that tell nothing of it are not listed."""

    def __init__(self, costs: Costs, work_out: Callable[[Metric], Figure]) -> None:
        self._costs, self._work_out = costs, work_out
        self._known: dict[str, Figure] = {}

    def __getitem__(self, name: str) -> Figure:
        if name not in self._known:
            metric = METRICS[name]
            if not metric.present(self._costs):
                raise KeyError(name)
            self._known[name] = self._work_out(metric)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return filter(self.__contains__, METRICS)

    def __contains__(self, name: object) -> bool:
        metric = METRICS.get(str(name))
        return metric is not None and metric.present(self._costs) and metric.tells(self._costs)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def formulas(costs: Costs, setting: Setting = USUAL) -> Figures[Poly]:
    """Every total as a formula in the letters of the costs' key."""
    return Figures(costs, partial(_formula, costs, setting))


def totals(costs: Costs, at: Mapping[str, int], setting: Setting = USUAL) -> Figures[int]:
    """Every total as an exact integer; `at` has a size for every free letter."""
    return Figures(costs, partial(_total, costs, setting, at))


def _formula(costs: Costs, setting: Setting, metric: Metric) -> Poly:
    return metric.formula(costs, setting)


def _total(costs: Costs, setting: Setting, at: Mapping[str, int], metric: Metric) -> int:
    return exact(costs, metric.formula(costs, setting), at)


def exact(costs: Costs, size: Size, at: Mapping[str, int]) -> int:
    """A formula of the costs as an integer, fixed letters put in."""
    return value(size, {**costs.key.sizes, **at})
