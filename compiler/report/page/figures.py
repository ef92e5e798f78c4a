"""Numbers of a page as formulas: each once, with what of the setting it depends on."""

import re
from collections.abc import Callable, Container
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import gcd
from typing import Any, Final, TypeVar

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly
from compiler.passes.setting import CHOICES, Kernel, Setting
from compiler.report.formula import formula
from compiler.report.page.parts import shared

Read = TypeVar("Read")


@dataclass(frozen=True)
class Chosen(Setting):
    """A setting, and what of degrees of parallelism is no letter of formulas, as their words."""

    zero: str = "0"
    sp: str = "1"

    def with_kernel(self, kernel: Kernel) -> "Chosen":
        """The same with a kernel; no other field is read for it."""
        found = copy(self)
        vars(found)["kernel"] = kernel
        return found


FIELDS: Final = {**CHOICES, "zero": ("0", "1", "2", "3"), "sp": ("1", "0")}
"""The fields that formulas may depend on, and the words for each; their first letters differ."""
Counted = Callable[[Chosen], Poly]


class _Watched(Chosen):
    """A setting that notes which of its fields are read."""

    def __getattribute__(self, name: str) -> Any:
        if name in FIELDS:
            object.__getattribute__(self, "__dict__").setdefault("seen", set()).add(name)
        return object.__getattribute__(self, name)


SIGN: Final = re.compile("·(?!floor|max|min)")
LOOSE: Final = re.compile("·|(?<!/) (?!/)")
Multiple = tuple[int, int]
"""The place of a formula without common factors, and what it is multiplied by."""


class Figure(Frozen):
    """A number of a page: the fields of the setting that it depends on, and for every choice of
    them, in the order of `FIELDS` with the last one fastest, its formula."""

    by: tuple[str, ...]
    of: tuple[Multiple, ...]

    def document(self) -> str:
        """The fields' first letters, then a place (`3`) or a multiple (`3*2`) for each choice."""
        return " ".join(["".join(name[0] for name in self.by), *map(spoken, self.of)])


@dataclass
class Figures:
    """All formulas of a page and all numbers made of them, equal ones once."""

    formulas: dict[str, int] = field(default_factory=dict)
    figures: dict[Figure, int] = field(default_factory=dict)

    def figure(self, counted: Counted) -> int:
        """The place of a number that a function of what is chosen counts."""
        return self._place(*_read(counted))

    def _place(self, by: tuple[str, ...], sizes: list[Poly]) -> int:
        by, sizes = _narrowed(by, sizes)
        one = Figure(by, tuple(map(self.multiple, sizes)))
        return self.figures.setdefault(one, len(self.figures))

    def document(self, shown: Container[int] = ()) -> dict[str, Any]:
        """For the script; formulas that the page shows anyway are left out, to be read there."""
        hidden = ["" if at in shown else each for each, at in self.formulas.items()]
        formulas, parts = shared(hidden)
        return {
            "formulas": formulas,
            "parts": parts,
            "figures": [each.document() for each in self.figures],
        }

    def multiple(self, size: Poly) -> Multiple:
        """A formula by what it is a multiple of, so that bytes of every type share one."""
        whole = [c.numerator for _, c in size.terms if c.denominator == 1]
        times = gcd(*whole) if len(whole) == len(size.terms) else 1
        times = max(times, 1)
        one = size * Fraction(1, times)
        return self.formulas.setdefault(compact(one), len(self.formulas)), times


def spoken(found: Multiple) -> str:
    """A multiple as the script reads it."""
    place, times = found
    return f"{place}" if times == 1 else f"{place}*{times}"


def juxtaposed(size: Poly) -> str:
    """A formula for people, short: letters are single, so those side by side are multiplied."""
    return SIGN.sub("", formula(size))


def compact(size: Poly) -> str:
    """A formula without signs of multiplication, letters being single, and without the spaces that
    people want: those around `/` tell a quotient from a coefficient's denominator."""
    return LOOSE.sub("", formula(size))


def _read(counted: Callable[[Chosen], Read]) -> tuple[tuple[str, ...], list[Read]]:
    """The fields that a function reads, whatever they have, and what it counts at each of them."""
    seen: set[str] = set()
    while True:
        by = tuple(name for name in FIELDS if name in seen)
        found = [
            counted(_watched(dict(zip(by, chosen, strict=True)), seen)) for chosen in _each(by)
        ]
        if len(by) == len(seen):
            return by, found


def _narrowed(by: tuple[str, ...], found: list[Poly]) -> tuple[tuple[str, ...], list[Poly]]:
    """Without the fields that change nothing."""
    for name in by:
        at = by.index(name)
        rest = (*by[:at], *by[at + 1 :])
        groups: dict[tuple[str, ...], list[Poly]] = {}
        for chosen, size in zip(_each(by), found, strict=True):
            groups.setdefault((*chosen[:at], *chosen[at + 1 :]), []).append(size)
        if all(size == group[0] for group in groups.values() for size in group):
            return _narrowed(rest, [group[0] for group in groups.values()])
    return by, found


def _each(by: tuple[str, ...]) -> "product[tuple[str, ...]]":
    return product(*(FIELDS[name] for name in by))


def _watched(chosen: dict[str, Any], seen: set[str]) -> Chosen:
    found = _Watched(**chosen)
    vars(found)["seen"] = seen
    return found
