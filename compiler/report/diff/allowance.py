"""How much totals may grow against a base: `parameters=5%,kv_bytes=0`."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.passes.cost import Costs
from compiler.passes.metrics import METRICS
from compiler.report.device.named_values import Option, named_values
from compiler.report.device.problem import problem
from compiler.report.lacking import lacking

GROWTH: Final = Option(
    name="--growth",
    code="AR0967",
    what="counted",
    there="`archc cost --json` has them all",
    example="parameters=5%,kv_bytes_per_token=0",
)
PERCENT: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6})?) ?%?", re.ASCII)


class Allowance(Frozen):
    """A total, and by what share of what it was it may grow."""

    metric: str
    share: Fraction

    def keeps(self, before: int, after: int) -> bool:
        """Whether it has not grown by more; what was nothing may not grow at all."""
        return after - before <= self.share * before

    @property
    def percent(self) -> str:
        """The share in percent, as short as it can be said: `5`, `0.5`."""
        return f"{float(100 * self.share):g}"

    def document(self, before: int, after: int) -> Mapping[str, Any]:
        """For a program."""
        return {
            "metric": self.metric,
            "allowed_percent": float(100 * self.share),
            "before": before,
            "after": after,
            "ok": self.keeps(before, after),
        }


def allowances(said: str) -> tuple[Allowance, ...]:
    """What a text allows. Raises SpecError (AR0967) where it makes no sense."""
    readers = dict.fromkeys(METRICS, (_share, "may grow by a share in percent"))
    return tuple(Allowance(*each) for each in named_values(GROWTH, said, readers).items())


def _share(percent: str) -> Fraction | None:
    match = PERCENT.fullmatch(percent)
    return None if match is None else Fraction(match[1]) / 100


def check_counted(allowed: Sequence[Allowance], said: str, both: Sequence[Costs]) -> None:
    """Raises SpecError (AR0967) where a total that may grow is not counted of both models."""
    for each in allowed:
        for costs in both:
            if not METRICS[each.metric].present(costs):
                message = f"`{each.metric}` is not known for both models"
                raise problem(
                    GROWTH.code, message, (GROWTH.name, said), *lacking(costs, each.metric)
                )
