"""The answer of `archc diff`: what two specs differ in, what that costs, and which lines say so."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from archspec.source.diagnostic import Diagnostic
from archspec.source.frozen import Frozen
from compiler.report.costs import CostReport
from compiler.report.diff.allowance import Allowance
from compiler.report.diff.blame import Blame
from compiler.report.diff.causes import Causes
from compiler.report.diff.change import Cause, Change
from compiler.report.diff.components import Bill, bills
from compiler.report.diff.lengths import Counted, at_lengths, common
from compiler.report.diff.structure import nodes, renamed_parts, structure
from compiler.report.diff.totals import Total, one_total, totals

NOTHING: Final[Mapping[str, int]] = {}


class Delta(Frozen):
    """What a component costs in both specs, None where one lacks it, and why each figure of it
    differs."""

    component: str
    before: Bill | None
    after: Bill | None
    blame: Mapping[str, tuple[Cause, ...]]

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Why it costs otherwise, all figures together."""
        return tuple(dict.fromkeys(cause for found in self.blame.values() for cause in found))

    @property
    def path(self) -> str:
        """Where it is now, or was, with its layers."""
        bill = self.after or self.before
        return bill.path if bill else self.component

    def numbers(self, name: str) -> tuple[int, int]:
        """A figure before and after; 0 where there is no such component."""
        old, new = (bill.numbers[name] if bill else 0 for bill in (self.before, self.after))
        return old, new


class Difference(Frozen):
    """Two cost reports at the same lengths and all that tells their specs apart.

    Attributes:
        shown: how both are called, such as `tiny.yaml@main` and `tiny.yaml`.
        changes: of the structure, in the order of the second spec.
        deltas: components whose costs differ, in the order in which they run.
        allowed: how much totals may grow.
    """

    shown: tuple[str, str]
    before: CostReport
    after: CostReport
    changes: tuple[Change, ...]
    deltas: tuple[Delta, ...]
    allowed: tuple[Allowance, ...] = ()

    @property
    def ok(self) -> bool:
        """False where the second spec is over a budget of its own, or a total grew by more than is
        allowed."""
        return self.after.ok and not self.grown

    @property
    def grown(self) -> list[tuple[Allowance, Total]]:
        """What grew by more than is allowed."""
        pairs = [(each, self.total(each.metric)) for each in self.allowed]
        return [(each, t) for each, t in pairs if not each.keeps(t.before, t.after)]

    def total(self, name: str) -> Total:
        """A total, also one that tells nothing of both models."""
        found = (each for each in self.totals if each.name == name)
        return next(found, None) or one_total(name, self.before, self.after, self.deltas)

    @property
    def same(self) -> bool:
        """Whether neither structure nor costs differ."""
        return not self.changes and not any(total.differs for total in self.totals)

    @property
    def titles(self) -> tuple[str, str]:
        """How both are called, with the patches that they were read with."""
        reports = zip(self.shown, (self.before, self.after), strict=True)
        old, new = (" ".join([n, *(f"--set {s}" for s in r.settings)]) for n, r in reports)
        return old, new

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """Every total of a cost report in both."""
        return totals(self.before, self.after, self.deltas)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        """For a notebook."""
        from compiler.report.notebook import difference_html

        return difference_html(self)

    def text(self) -> str:
        """For a terminal, without colour."""
        from compiler.report.diff.terminal import terminal

        return terminal(self)

    def markdown(self) -> str:
        """A comment for a pull request, with a hidden mark to find it again."""
        from compiler.report.diff.markdown import markdown

        return markdown(self)

    def document(self) -> dict[str, Any]:
        """For a program: exact integers, units in the names."""
        from compiler.report.diff.document import document

        return document(self)


def difference(
    before: Counted,
    after: Counted,
    at: Mapping[str, int] = NOTHING,
    shown: tuple[str, str] = ("", ""),
) -> Difference | tuple[Diagnostic, ...]:
    """Compare two specs, each with its program and its costs at lengths of its own.

    Both are counted at the same lengths: those of `at`, else the shorter ones. Returns diagnostics
    where a length makes no sense.
    """
    (one, _, first), (other, _, second) = before, after
    shared = common(first, second, at)
    old = at_lengths(before, second, shared, at)
    new = at_lengths(after, first, shared, at)
    if not isinstance(new, dict):
        return new
    if not isinstance(old, dict):
        return old
    first, second = (replace(r, at=a, asked=dict(at)) for r, a in ((first, old), (second, new)))
    met = nodes(one, other)
    changes = structure(one, other, met)
    blame = Blame(changes, first.costs.key, second.costs.key, Causes(one, other))
    was = bills(first, one, renamed_parts(met, changes))
    now = bills(second, other, _same)
    return Difference(
        (shown[0] or first.name, shown[1] or second.name),
        first,
        second,
        changes,
        tuple(_deltas(was, now, blame)),
    )


def _deltas(was: Mapping[str, Bill], now: Mapping[str, Bill], blame: Blame) -> list[Delta]:
    found: list[Delta] = []
    for component in {**now, **was}:
        old, new = was.get(component), now.get(component)
        numbers = [bill.numbers if bill else {} for bill in (old, new)]
        names = {**numbers[0], **numbers[1]}
        if any(numbers[0].get(name, 0) != numbers[1].get(name, 0) for name in names):
            found.append(Delta(component, old, new, blame.of(component, old, new)))
    return found


_same: Callable[[str], str] = str
