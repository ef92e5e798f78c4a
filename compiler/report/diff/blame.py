"""Which changes make the costs of a component differ."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from archspec.source.expression import names
from archspec.source.frozen import Frozen
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, text
from compiler.report.diff.causes import Causes
from compiler.report.diff.change import Cause, Change
from compiler.report.diff.components import Bill
from compiler.report.diff.touches import LENGTHS, LENT, asks_for, touches

NUMBER: Final = re.compile(r"\d+")
MADE_OF: Final = {"head_dim": ("width", "heads")}
"""Roles of letters that follow from others where the spec does not say them."""


class Blame(Frozen):
    """The changes between two specs and the keys of their letters."""

    changes: Sequence[Change]
    before: Letters
    after: Letters
    causes: Causes

    def of(
        self, component: str, old: Bill | None, new: Bill | None
    ) -> dict[str, tuple[Cause, ...]]:
        """The causes of every figure of a component that differs.

        They are the component's own changes that its formula shows, and sizes that come in from
        elsewhere as letters of it.
        """
        own = [change for change in self.changes if _covers(change.component, component)]
        lent = LENT.get(component.rstrip("_0123456789"), ())
        own += [change for change in self.changes if asks_for(change, lent)]
        bill = old or new
        found: dict[str, tuple[Cause, ...]] = {}
        for figure in bill.numbers if bill else ():
            if _number(old, figure) != _number(new, figure):
                able = [change for change in own if touches(change, figure)]
                causes = self._causes(able, self._layer(old, figure), self._layer(new, figure))
                found[figure] = tuple(dict.fromkeys(causes)) or self._elsewhere(figure)
        return found

    def _elsewhere(self, figure: str) -> tuple[Cause, ...]:
        """Of what a whole model computes once for its layers: all that may ask for it."""
        able = [
            change
            for change in self.changes
            if change.kind not in ("renamed", "moved")
            and touches(change, figure)
            and not (_is_number(change.before) and _is_number(change.after))
        ]
        return tuple(dict.fromkeys(cause for change in able for cause in change.causes))

    def _causes(self, own: Sequence[Change], old: Poly | None, new: Poly | None) -> Iterator[Cause]:
        for change in own:
            if self._shows(change, old, new):
                yield from change.causes
        if old is not None and new is not None:
            for name in sorted(old.letters & new.letters):
                yield from self._size(name)
            for name in sorted(old.letters ^ new.letters):
                yield from self._length(name)

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
        if old is None or new is None:
            return change.field != "repeat"
        if change.field == "repeat":
            return True
        if _is_number(change.before) and _is_number(change.after):
            return change.before in _numbers(old, self.before) and (
                change.after in _numbers(new, self.after)
            )
        return old != new

    def _size(self, name: str) -> Iterator[Cause]:
        """Why a letter stands for another size: a change of that size, or of what it follows
        from, or of the spec's own name for it."""
        sizes = self.before.sizes.get(name), self.after.sizes.get(name)
        if None in sizes or sizes[0] == sizes[1]:
            return
        said = tuple(map(str, sizes))
        found = [change for change in self.changes if (change.before, change.after) == said]
        if found:
            for change in found:
                yield from change.causes
            return
        role = self.after.key[name].role
        for below in self._made_of(role):
            yield from self._size(below)
        yield from self._length(name)
        for key in (self.before, self.after):
            for dim in sorted(names(key.key[name].said)):
                yield from self.causes.size(dim)

    def _length(self, name: str) -> Iterator[Cause]:
        """Why a length is another one that patches, strides or joints make."""
        known = self.after.key.get(name) or self.before.key[name]
        words = LENGTHS.get(known.role, ()) if known.formula or known.size else ()
        for change in self.changes:
            if asks_for(change, words):
                yield from change.causes

    def _made_of(self, role: str) -> list[str]:
        roles = MADE_OF.get(role, ())
        return [name for name, known in self.after.key.items() if known.role in roles]


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
