"""How far along a sequence a position of an output looks into an input."""

from math import gcd
from typing import TypeAlias

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, Size, as_poly

Places: TypeAlias = int | None
"""A number of positions; None is all there are."""


class Reach(Frozen):
    """At most `back` positions before its own and `ahead` behind it.

    `within` is the length of the pieces that a sequence is cut into where nothing passes from one
    to the next. What it looks at is a multiple of `every` away. A `stepwise` signal goes through a
    cell for each position on its way; any other takes one hop.
    """

    back: Places = 0
    ahead: Places = 0
    within: int | None = None
    stepwise: bool = False
    every: int = 1

    @property
    def mixes(self) -> bool:
        """Whether it looks at any position but its own."""
        return (self.back, self.ahead) != (0, 0)

    @property
    def farther(self) -> Places:
        """The reach to the side where there is more of it."""
        return None if None in (self.back, self.ahead) else max(self.back or 0, self.ahead or 0)

    def then(self, after: "Reach") -> "Reach":
        """The reach of one through the other: `after` reads what `self` gave."""
        if not (self.mixes and after.mixes):
            return self if self.mixes else after
        within = self.within if self.within == after.within else None
        back, ahead = _sum(self.back, after.back), _sum(self.ahead, after.ahead)
        return Reach(
            _least(back, within),
            _least(ahead, within),
            within,
            self.stepwise or after.stepwise,
            gcd(self.every, after.every),
        )

    def beside(self, other: "Reach") -> "Reach":
        """The reach of two ways together."""
        if not (self.mixes and other.mixes):
            return self if self.mixes else other
        within = self.within if self.within == other.within else None
        back, ahead = _greater(self.back, other.back), _greater(self.ahead, other.ahead)
        stepwise, every = self.stepwise and other.stepwise, gcd(self.every, other.every)
        return Reach(back, ahead, within, stepwise, every)

    def hops(self, length: Size) -> Poly | None:
        """The longest path between two of `length` positions (at least two) in a stack of such
        layers, in operators and cells on it (Vaswani et al. 2017, section 4); None where there is
        no way between some."""
        if self.stepwise:
            return as_poly(length)
        if self.within is not None or self.every > 1 or not self.mixes:
            return None
        far = self.farther
        return as_poly(1) if far is None else (as_poly(length) + far - 2) // far


HERE = Reach()
EVERYWHERE = Reach(None, None)


def _sum(one: Places, other: Places) -> Places:
    return None if one is None or other is None else one + other


def _greater(one: Places, other: Places) -> Places:
    return None if one is None or other is None else max(one, other)


def _least(places: Places, within: int | None) -> Places:
    if within is None:
        return places
    return within - 1 if places is None else min(places, within - 1)
