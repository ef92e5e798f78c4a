"""Lengths that are numbers and formulas at once, so that ordinary code computes both."""

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from typing import Any

from compiler.ir.size import Poly, as_poly, constant, divide_exactly


class Length(int):
    """An integer that knows its formula. Sums, products and whole quotients stay lengths.

    `free` says whether it is known when a model runs only; others divide as their numbers do.
    """

    formula: Poly
    free: bool

    def __new__(cls, number: int, formula: Poly, free: bool = False) -> "Length":
        made = super().__new__(cls, number)
        made.formula, made.free = formula, free
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies, in other processes too."""
        return Length, (int(self), self.formula, self.free)

    def __add__(self, other: Any) -> Any:
        return _both(int.__add__, Poly.__add__, self, other)

    def __radd__(self, other: Any) -> Any:
        return _both(int.__add__, Poly.__add__, self, other)

    def __sub__(self, other: Any) -> Any:
        return _both(int.__sub__, Poly.__sub__, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _both(int.__sub__, Poly.__sub__, other, self)

    def __mul__(self, other: Any) -> Any:
        return _both(int.__mul__, Poly.__mul__, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _both(int.__mul__, Poly.__mul__, self, other)

    def __floordiv__(self, other: Any) -> Any:
        return divided(self, other) if isinstance(other, int) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Any:
        return divided(other, self) if isinstance(other, int) else NotImplemented

    def __neg__(self) -> Any:
        return self * -1


def formula(size: int) -> Poly:
    """The formula of a size; a plain integer is its own."""
    return size.formula if isinstance(size, Length) else as_poly(int(size))


def free(*sizes: int) -> bool:
    """Whether any of some sizes is known when a model runs only."""
    return any(isinstance(size, Length) and size.free for size in sizes)


def length(number: int, found: Poly, free: bool) -> int:
    """A length, or a plain integer where no letter is in its formula."""
    return int(number) if _is_number(found) else Length(number, found, free)


def product(sizes: Iterable[int]) -> int:
    """The product of sizes."""
    return reduce(lambda left, right: left * right, sizes, 1)


def divided(whole: int, part: int) -> int:
    """`whole // part`; a quotient of fixed sizes is exact where that of their numbers is."""
    number, rest = divmod(int(whole), int(part))
    above, below = formula(whole), formula(part)
    exact = _said(divide_exactly, above, below)
    if exact is None or rest or (free(whole, part) and not _whole(exact)):
        exact = _said(Poly.__floordiv__, above, below)
    return length(number, exact, free(whole, part))


def steps(span: int, step: int) -> int:
    """How many steps it takes over a span, the last perhaps beyond it."""
    if step == 1 or (not free(span) and span % step == 0):
        return divided(span, step)
    return divided(span + step - 1, step)


def _whole(size: Poly) -> bool:
    return all(coefficient.denominator == 1 for _, coefficient in size.terms)


def _both(
    count: Callable[[int, int], int], say: Callable[[Poly, Any], Any], left: Any, right: Any
) -> Any:
    if not (isinstance(left, int) and isinstance(right, int)):
        return NotImplemented
    found = _said(say, formula(left), formula(right))
    return length(count(int(left), int(right)), found, free(left, right))


@lru_cache(maxsize=4096)
def _said(say: Callable[[Poly, Poly], Any], left: Poly, right: Poly) -> Any:
    """What two formulas come to; a layer asks what the one before has asked."""
    return say(left, right)


@lru_cache(maxsize=4096)
def _is_number(found: Poly) -> bool:
    return constant(found) is not None
