"""The terms of sizes: products of factors with coefficients, in one order, so that equal ones are
equal."""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from compiler.ir.size import Call

Factor: TypeAlias = "str | Call"
Monomial: TypeAlias = tuple[tuple[Factor, int], ...]
"""Factors, each with its power."""
Number: TypeAlias = int | Fraction
"""A coefficient: a fraction only where it is not whole, since whole numbers are much quicker."""
Terms: TypeAlias = tuple[tuple[Monomial, Number], ...]


def ordered(powers: Iterable[tuple[Factor, int]]) -> Monomial:
    """The product of factors that differ: letters first."""
    return tuple(sorted(powers, key=lambda pair: (not isinstance(pair[0], str), str(pair[0]))))


@lru_cache(maxsize=4096)
def joined(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    powers = dict(left)
    for factor, power in right:
        powers[factor] = powers.get(factor, 0) + power
    return ordered(powers.items())


def plain(number: Number) -> Number:
    """A coefficient as an integer where it is whole."""
    return number if isinstance(number, int) or number.denominator != 1 else number.numerator


def collected(terms: Iterable[tuple[Monomial, Number]]) -> Terms:
    """The sum of terms: each monomial once, none with nothing of it."""
    sums: dict[Monomial, Number] = {}
    for monomial, coefficient in terms:
        sums[monomial] = sums.get(monomial, 0) + coefficient
    found = [(monomial, plain(number)) for monomial, number in sums.items() if number]
    if len(found) > 1:
        found.sort(key=lambda term: _place(term[0]))
    return tuple(found)


@lru_cache(maxsize=4096)
def _place(monomial: Monomial) -> str:
    """What terms are sorted by."""
    return str(monomial)
