"""Which changes make the costs of a component differ."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from compiler.ir.letters import Letters
from compiler.ir.size import Poly, text
from compiler.report.diff.change import Cause, Change
from compiler.report.diff.components import Bill
from compiler.report.diff.touches import touches

NUMBER: Final = re.compile(r"\d+")
MADE_OF: Final = {"head_dim": ("width", "heads")}
"""Roles of letters that follow from others where the spec does not say them."""


@dataclass(frozen=True)
class Blame:
    """The changes between two specs and the keys of their letters."""

    changes: Sequence[Change]
    before: Letters
    after: Letters

    def of(
        self, component: str, old: Bill | None, new: Bill | None
    ) -> dict[str, tuple[Cause, ...]]:
        """The causes of every figure of a component that differs.

        They are the component's own changes that its formula shows, and sizes that come in from
        elsewhere as letters of it.
        """
        own = [change for change in self.changes if _covers(change.component, component)]
        bill = old or new
        found: dict[str, tuple[Cause, ...]] = {}
        for figure in bill.numbers if bill else ():
            if _number(old, figure) != _number(new, figure):
                able = [change for change in own if touches(change.field, figure)]
                causes = self._causes(able, self._layer(old, figure), self._layer(new, figure))
                found[figure] = tuple(dict.fromkeys(causes))
        return found

    def _causes(self, own: Sequence[Change], old: Poly | None, new: Poly | None) -> Iterator[Cause]:
        for change in own:
            if self._shows(change, old, new):
                yield from change.causes
        if old is not None and new is not None:
            for change in self._sizes(old.letters & new.letters):
                yield from change.causes

    def _layer(self, bill: Bill | None, figure: str) -> Poly | None:
        """The formula for one layer, all kinds of them averaged."""
        if bill is None:
            return None
        formula = bill.formulas[figure]
        layers = {
            known.name: known.size
            for key in (self.before, self.after)
            for known in key.key.values()
            if known.role == "layers" and known.size == bill.layers
        }
        return formula.at(layers) * Fraction(1, bill.layers)

    def _shows(self, change: Change, old: Poly | None, new: Poly | None) -> bool:
        """Whether formulas tell a change: a number must stand in both, all else must alter them."""
        if change.field == "repeat" or old is None or new is None:
            return change.field == "repeat" or change.kind != "changed" or not change.field
        if _is_number(change.before) and _is_number(change.after):
            return change.before in _numbers(old, self.before) and (
                change.after in _numbers(new, self.after)
            )
        return old != new

    def _sizes(self, letters: frozenset[str]) -> Iterator[Change]:
        """Changes of the sizes that letters stand for."""
        for name in sorted(letters):
            sizes = self.before.sizes.get(name), self.after.sizes.get(name)
            if None in sizes or sizes[0] == sizes[1]:
                continue
            said = tuple(map(str, sizes))
            found = [change for change in self.changes if (change.before, change.after) == said]
            if not found:
                role = self.after.key[name].role
                found = list(self._sizes(self._of_roles(MADE_OF.get(role, ()))))
            yield from found

    def _of_roles(self, roles: Sequence[str]) -> frozenset[str]:
        return frozenset(n for n, known in self.after.key.items() if known.role in roles)


def _covers(owner: str, component: str) -> bool:
    return component == owner or component.startswith(f"{owner}.")


def _number(bill: Bill | None, figure: str) -> int:
    return bill.numbers[figure] if bill else 0


def _is_number(said: str) -> bool:
    try:
        float(said)
    except ValueError:
        return False
    return True


def _numbers(formula: Poly, key: Letters) -> set[str]:
    """The sizes that a formula depends on, as letters or as they are."""
    letters = {str(key.sizes[name]) for name in formula.letters if name in key.sizes}
    return letters | set(NUMBER.findall(text(formula)))
