"""Sizes as exact polynomials in the dimension letters, so that one rule gives the number and the
formula."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import index
from typing import Literal, TypeAlias

from compiler.ir.terms import Factor, Monomial, Number, Terms, collected, joined, ordered, plain

Function: TypeAlias = Literal["floor", "min", "max"]


@dataclass(frozen=True)
class Call:
    """An indivisible part of a size: `floor(a / b)`, `min(a, b, …)` or `max(a, b, …)`."""

    function: Function
    arguments: "tuple[Poly, ...]"

    def __str__(self) -> str:
        if self.function == "floor":
            above, below = (_grouped(argument) for argument in self.arguments)
            return f"floor({above} / {below})"
        return f"{self.function}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True)
class Poly:
    """A polynomial with rational coefficients whose unknowns are dimension letters.

    Two equal polynomials have equal terms, so `==` decides whether two sizes are the same for every
    value of the letters (calls are compared by their arguments).
    """

    terms: Terms

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("hash")
        if known is None:
            known = self.__dict__["hash"] = hash(self.terms)
        return known

    def __add__(self, other: "Size") -> "Poly":
        right = as_poly(other)
        if not right.terms:
            return self
        return _sum([*self.terms, *right.terms]) if self.terms else right

    def __sub__(self, other: "Size") -> "Poly":
        return self + as_poly(other) * -1

    def __mul__(self, other: "Size | Fraction") -> "Poly":
        if isinstance(other, int):
            return Poly(tuple((m, c * other) for m, c in self.terms)) if other else Poly(())
        right = _constant(other) if isinstance(other, Fraction) else other
        if not (self.terms and right.terms):
            return right if self.terms else self
        if len(self.terms) == len(right.terms) == 1:
            ((a, x),), ((b, y),) = self.terms, right.terms
            return Poly(((joined(a, b) if a and b else a or b, plain(x * y)),))
        return _sum([(joined(a, b), x * y) for a, x in self.terms for b, y in right.terms])

    def __rsub__(self, other: int) -> "Poly":
        return as_poly(other) - self

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> "Poly":
        return self if exponent == 1 else product([self] * exponent)

    def __floordiv__(self, other: "Size") -> "Poly":
        exact = divide_exactly(self, other)
        if exact is not None and all(c.denominator == 1 for _, c in exact.terms):
            return exact
        return _atom(Call("floor", (self, as_poly(other))))

    def __str__(self) -> str:
        return text(self)

    @property
    def letters(self) -> frozenset[str]:
        """The dimension letters that this size depends on."""
        return frozenset(_letters(self))

    def at(self, values: Mapping[str, "Size"]) -> "Poly":
        """Put sizes in the place of letters; letters that are not named stay."""
        if not self.terms or not values:
            return self
        found: list[tuple[Monomial, Number]] = []
        for monomial, coefficient in self.terms:
            found += _put_into_term(monomial, coefficient, values)
        return _sum(found)


Size: TypeAlias = int | Poly


def letter(name: str) -> Poly:
    """The size that a dimension letter stands for."""
    return _atom(name)


def as_poly(size: Size) -> Poly:
    """Any size as a polynomial."""
    return size if isinstance(size, Poly) else _constant(int(size))


def product(sizes: Iterable[Size]) -> Poly:
    """The product of sizes; 1 for none."""
    first, *others = [as_poly(size) for size in sizes] or [as_poly(1)]
    return reduce(Poly.__mul__, others, first)


def total(sizes: Iterable[Size]) -> Poly:
    """The sum of sizes; 0 for none."""
    found = [poly for size in sizes if (poly := as_poly(size)).terms]
    if len(found) == 1:
        return found[0]
    return _sum([term for poly in found for term in poly.terms])


def half(size: Size) -> Poly:
    """A size divided by two, kept exact (`T * (T + 1) / 2` is whole for every T)."""
    return as_poly(size) * Fraction(1, 2)


def least(*sizes: Size) -> Poly:
    """The smallest of some sizes."""
    return _extreme("min", sizes)


def greatest(*sizes: Size) -> Poly:
    """The largest of some sizes."""
    return _extreme("max", sizes)


def value(size: Size, values: Mapping[str, int] | None = None) -> int:
    """The integer that a size has at given letters.

    Raises KeyError (with the letter) where a letter has no value, ValueError where the result is
    not whole.
    """
    if isinstance(size, int):
        return int(size)
    given = values or {}
    result: Number = 0
    for monomial, coefficient in size.terms:
        term = coefficient
        for factor, power in monomial:
            term *= _factor_value(factor, given) ** power
        result += term
    if result.denominator != 1:
        raise ValueError(f"{size} is not a whole number")
    return result.numerator


def whole(name: str, size: object) -> int:
    """A size that a program gives, as an integer of Python, which never overflows.

    Raises TypeError where it is no whole number.
    """
    try:
        return index(size)  # type: ignore[arg-type]  # what is no integer raises TypeError
    except TypeError:
        raise TypeError(f"`{name}` must be a whole number, not {size!r}") from None


def constant(size: Size) -> int | None:
    """The integer that a size is whatever the letters are, or None."""
    if isinstance(size, int):
        return int(size)
    if not size.terms:
        return 0
    if len(size.terms) == 1 and not size.terms[0][0]:
        number = size.terms[0][1]
        return number if isinstance(number, int) else value(size)
    return value(size) if next(_letters(size), None) is None else None


def divide_exactly(size: Size, divisor: Size) -> Poly | None:
    """`size / divisor` where the divisor is a single term that divides every term, else None."""
    below = as_poly(divisor)
    if len(below.terms) != 1:
        return as_poly(1) if as_poly(size) == below else None
    ((monomial, coefficient),) = below.terms
    terms: list[tuple[Monomial, Number]] = []
    for above, share in as_poly(size).terms:
        powers = dict(above)
        for factor, power in monomial:
            if powers.get(factor, 0) < power:
                return None
            powers[factor] -= power
        left = ordered((f, p) for f, p in powers.items() if p)
        terms.append((left, Fraction(share) / coefficient))
    return _sum(terms)


def text(size: Size, times: str = "*") -> str:
    """A formula such as `2*B*T*D`, highest powers first; `times` is the sign of multiplication."""
    if isinstance(size, int):
        return str(int(size))
    if not size.terms:
        return "0"
    pieces: list[str] = []
    for monomial, coefficient in sorted(
        size.terms, key=lambda t: (-sum(p for _, p in t[0]), str(t[0]))
    ):
        sign = "-" if coefficient < 0 else "+"
        amount = -coefficient if coefficient < 0 else coefficient
        pieces += [sign, _term(monomial, amount, times)]
    head = pieces[1] if pieces[0] == "+" else f"-{pieces[1]}"
    return " ".join([head, *pieces[2:]])


def _grouped(size: Poly) -> str:
    return f"({size})" if len(size.terms) > 1 or "*" in str(size) else str(size)


def _term(monomial: Monomial, coefficient: Number, times: str) -> str:
    factors = [str(f) if p == 1 else f"{f}**{p}" for f, p in monomial]
    if coefficient.numerator != 1 or not factors:
        factors.insert(0, str(coefficient.numerator))
    over = f"/{coefficient.denominator}" if coefficient.denominator != 1 else ""
    return times.join(factors) + over


def _atom(factor: Factor) -> Poly:
    return Poly(((((factor, 1),), 1),))


def _sum(terms: Iterable[tuple[Monomial, Number]]) -> Poly:
    return Poly(collected(terms))


def _constant(number: Number) -> Poly:
    return Poly((((), number),)) if number else Poly(())


def _extreme(function: Literal["min", "max"], sizes: Iterable[Size]) -> Poly:
    distinct = list(dict.fromkeys(as_poly(s) for s in sizes))
    numbers = [n for s in distinct if (n := constant(s)) is not None]
    rest = [s for s in distinct if constant(s) is None]
    if numbers:
        rest.append(as_poly(min(numbers) if function == "min" else max(numbers)))
    return rest[0] if len(rest) == 1 else _atom(Call(function, tuple(sorted(rest, key=str))))


def _letters(size: Poly) -> Iterator[str]:
    for monomial, _ in size.terms:
        for factor, _ in monomial:
            if isinstance(factor, str):
                yield factor
            else:
                for argument in factor.arguments:
                    yield from _letters(argument)


def _put_into_term(monomial: Monomial, coefficient: Number, values: Mapping[str, Size]) -> Terms:
    """The terms that one becomes; numbers go to its coefficient at once."""
    number, kept, polys = coefficient, [], []
    for factor, power in monomial:
        put = values.get(factor) if isinstance(factor, str) else _put_into_call(factor, values)
        if put is None:
            kept.append((factor, power))
        elif isinstance(put, int):
            number *= put**power
        else:
            polys.append(put**power)
    if not polys:
        return ((tuple(kept), number),)
    return reduce(lambda left, right: left * right, polys, Poly(((tuple(kept), number),))).terms


def _put_into_call(call: Call, values: Mapping[str, Size]) -> Poly:
    arguments = [argument.at(values) for argument in call.arguments]
    if call.function == "floor":
        numbers = [constant(a) for a in arguments]
        if numbers[0] is not None and numbers[1] is not None:
            return as_poly(numbers[0] // numbers[1])
        return arguments[0] // arguments[1]
    return _extreme(call.function, arguments)


def _factor_value(factor: Factor, values: Mapping[str, int]) -> int:
    if isinstance(factor, str):
        return values[factor]
    numbers = [value(argument, values) for argument in factor.arguments]
    if factor.function == "floor":
        return numbers[0] // numbers[1]
    return min(numbers) if factor.function == "min" else max(numbers)
