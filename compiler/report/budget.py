"""Budgets: the limits that a spec sets on its costs, judged."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from archspec.model.budget import Limit
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.suggest import did_you_mean, listed
from compiler.ir.program import Program
from compiler.ir.size import Poly
from compiler.passes.cost import Costs
from compiler.passes.cost_lengths import lengths, letters_said
from compiler.passes.metrics import METRICS, exact
from compiler.passes.setting import BYTES, Precision, Setting
from compiler.report.formula import formula, with_numbers
from compiler.report.numbers import in_unit


@dataclass(frozen=True)
class Verdict:
    """One limit, and what the costs are where it is set."""

    said: str
    limit: Limit
    at: str
    precision: Precision
    value: int
    size: Poly
    sizes: Mapping[str, int]

    @property
    def ok(self) -> bool:
        """Whether the limit holds."""
        return self.value <= self.limit.limit

    def finding(self) -> str:
        """What was measured against what, in words."""
        unit = METRICS[self.limit.metric].unit
        relation = "within" if self.ok else "over"
        found, limit = in_unit(self.value, unit), in_unit(int(self.limit.limit), unit)
        return f"`{self.said}` is {found}, {relation} its limit of {limit}"

    def sentence(self) -> str:
        """The same with the formula and its numbers."""
        worked = f"{formula(self.size)} = {with_numbers(self.size, self.sizes)}"
        return f"{self.finding()}: {worked}"

    def document(self) -> dict[str, object]:
        """For a program."""
        return {
            "metric": self.limit.metric,
            "at": self.at,
            "precision": self.precision,
            "limit": self.limit.limit,
            "value": self.value,
            "ok": self.ok,
            "formula": formula(self.size),
            "line": self.limit.span.line,
        }


def judge(
    program: Program, costs: Costs, spec: Spec
) -> tuple[Verdict, ...] | tuple[Diagnostic, ...]:
    """A verdict for every limit, or what makes limits impossible to judge.

    A limit is judged at the sizes it names, others at their defaults: what a command asks to be
    counted changes no verdict.
    """
    judged = [_judged(program, costs, spec, said, limit) for said, limit in spec.budget.items()]
    wrong = tuple(
        problem for found in judged if not isinstance(found, Verdict) for problem in found
    )
    return wrong or tuple(found for found in judged if isinstance(found, Verdict))


def broken(verdicts: tuple[Verdict, ...]) -> Iterator[Diagnostic]:
    """An error for every limit that does not hold."""
    for verdict in verdicts:
        if not verdict.ok:
            unit = METRICS[verdict.limit.metric].unit
            label = (
                f"{in_unit(verdict.value, unit)} are over {in_unit(int(verdict.limit.limit), unit)}"
            )
            worked = f"{formula(verdict.size)} = {with_numbers(verdict.size, verdict.sizes)}"
            where = f" at {verdict.at}" if verdict.at else ""
            yield Diagnostic(
                "AR0810",
                f"`{verdict.limit.metric}` is over budget{where}",
                Label(verdict.limit.span, label),
                help=f"it is {worked}",
            )


def _judged(
    program: Program, costs: Costs, spec: Spec, said: str, limit: Limit
) -> Verdict | tuple[Diagnostic, ...]:
    metric = METRICS.get(limit.metric)
    if metric is None:
        hint = did_you_mean(limit.metric, METRICS) or "`archc cost --json` has them all"
        message = f"nothing that is counted is called `{limit.metric}`"
        return (Diagnostic("AR0811", message, Label(limit.span, hint)),)
    words = {name: word for name, word in limit.at.items() if len(name) > 1}
    later = [name for name in words if name != "precision"]
    if later:
        message = f"`{later[0]}` in a budget is part of the language but not of this version"
        return (Diagnostic("AR0812", message, Label(limit.span, "not yet")),)
    precision = words.get("precision", "bf16")
    if precision not in BYTES:
        label = f"there are {listed(get_args(Precision), 'and')}"
        return (
            Diagnostic("AR0812", f"no precision is called `{precision}`", Label(limit.span, label)),
        )
    asked = {name: size for name, size in limit.at.items() if isinstance(size, int)}
    at = lengths(program, costs, spec.inputs, asked)
    if not isinstance(at, dict):
        return tuple(
            replace(problem, code="AR0812", primary=Label(limit.span, problem.primary.text))
            for problem in at
        )
    chosen: Precision = next(name for name in BYTES if name == precision)
    size = metric.formula(costs, Setting(precision=chosen))
    sizes = {**costs.key.sizes, **at}
    return Verdict(
        said, limit, letters_said(costs, at), chosen, exact(costs, size, at), size, sizes
    )
