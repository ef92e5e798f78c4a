"""How much totals may grow against a base: `parameters=5%,kv_bytes=0`."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from archspec.source.frozen import Frozen
from archspec.source.suggest import did_you_mean
from compiler.passes.cost import Costs
from compiler.passes.metrics import METRICS
from compiler.report.device.problem import problem
from compiler.report.lacking import lacking

OPTION: Final = "--growth"
AS_IN: Final = "as in `parameters=5%,kv_bytes_per_token=0`"
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
    found: dict[str, Allowance] = {}
    for item in filter(None, (piece.strip() for piece in said.split(","))):
        name, _, amount = (part.strip() for part in item.partition("="))
        if name not in METRICS:
            label = did_you_mean(name, METRICS) or "`archc cost --json` has them all"
            message = f"nothing that is counted is called `{name}`"
            raise problem("AR0967", message, (OPTION, said), label, AS_IN)
        if name in found:
            message = f"`{name}` may grow by one share"
            raise problem("AR0967", message, (OPTION, said), "it is given twice", AS_IN)
        match = PERCENT.fullmatch(amount)
        if match is None:
            message = f"`{name}` may grow by a share in percent"
            label = f"`{amount}` is none" if amount else "nothing is given"
            raise problem("AR0967", message, (OPTION, said), label, AS_IN)
        found[name] = Allowance(name, Fraction(match[1]) / 100)
    return tuple(found.values())


def check_counted(allowed: Sequence[Allowance], said: str, both: Sequence[Costs]) -> None:
    """Raises SpecError (AR0967) where a total that may grow is not counted of both models."""
    for each in allowed:
        for costs in both:
            if not METRICS[each.metric].present(costs):
                message = f"`{each.metric}` is not known for both models"
                raise problem("AR0967", message, (OPTION, said), *lacking(costs, each.metric))
