"""Sizes follow the laws of integer arithmetic: a formula and its number never disagree."""

import math
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.ir.size import (
    Poly,
    Size,
    as_poly,
    constant,
    divide_exactly,
    greatest,
    half,
    least,
    letter,
    product,
    text,
    total,
    value,
)

At: TypeAlias = dict[str, int]
Pair: TypeAlias = tuple[Size, Callable[[At], int]]
"""A size and the same arithmetic over plain integers."""

LETTERS = "BTSD"
B, T, S, D = map(letter, LETTERS)
places = st.fixed_dictionaries({name: st.integers(1, 50) for name in LETTERS})


def known(number: int) -> Pair:
    return number, lambda at: number


def named(name: str) -> Pair:
    return letter(name), lambda at: at[name]


def grown(parts: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda p: (as_poly(p[0][0]) + p[1][0], lambda at: p[0][1](at) + p[1][1](at))),
        two.map(lambda p: (as_poly(p[0][0]) - p[1][0], lambda at: p[0][1](at) - p[1][1](at))),
        two.map(lambda p: (as_poly(p[0][0]) * p[1][0], lambda at: p[0][1](at) * p[1][1](at))),
        two.map(lambda p: (least(p[0][0], p[1][0]), lambda at: min(p[0][1](at), p[1][1](at)))),
        two.map(lambda p: (greatest(p[0][0], p[1][0]), lambda at: max(p[0][1](at), p[1][1](at)))),
        st.tuples(parts, st.integers(1, 9)).map(
            lambda p: (as_poly(p[0][0]) // p[1], lambda at: p[0][1](at) // p[1])
        ),
    )


pairs = st.recursive(
    st.one_of(st.integers(-9, 9).map(known), st.sampled_from(LETTERS).map(named)),
    grown,
    max_leaves=12,
)


@given(pairs, places)
def test_a_size_has_the_value_that_integers_give(pair: Pair, at: At) -> None:
    size, expected = pair
    assert value(size, at) == expected(at)


@given(pairs, places)
def test_putting_all_letters_in_gives_the_constant(pair: Pair, at: At) -> None:
    size, expected = pair
    assert constant(as_poly(size).at(at)) == expected(at)


@given(pairs, places, st.sampled_from(LETTERS))
def test_letters_can_be_put_in_one_after_the_other(pair: Pair, at: At, first: str) -> None:
    size, expected = pair
    once = as_poly(size).at({first: at[first]})
    assert first not in once.letters
    assert value(once, at) == expected(at)


@given(pairs, places)
def test_the_printed_formula_means_the_same(pair: Pair, at: At) -> None:
    size, expected = pair
    means = {"min": min, "max": max, "floor": math.floor}
    assert eval(text(size), means, dict(at)) == expected(at)


@given(pairs, pairs)
def test_addition_and_multiplication_commute_as_terms(one: Pair, two: Pair) -> None:
    a, b = as_poly(one[0]), as_poly(two[0])
    assert a + b == b + a
    assert a * b == b * a
    assert a * (b + 1) == a * b + a
    assert a - a == as_poly(0)


@given(pairs)
def test_a_power_is_repeated_multiplication(pair: Pair) -> None:
    size = as_poly(pair[0])
    assert size**0 == as_poly(1)
    assert size**3 == size * size * size


@given(pairs, st.sampled_from([B, T * D, 2 * S, 3 * T * T * B]))
def test_exact_division_undoes_multiplication(pair: Pair, divisor: Poly) -> None:
    size = as_poly(pair[0])
    assert divide_exactly(size * divisor, divisor) == size
    assert size * divisor // divisor == size


@given(st.lists(pairs, max_size=5), places)
def test_sums_and_products_of_many(found: list[Pair], at: At) -> None:
    numbers = [expected(at) for _, expected in found]
    expected_product = 1
    for number in numbers:
        expected_product *= number
    assert value(total(size for size, _ in found), at) == sum(numbers)
    assert value(product(size for size, _ in found), at) == expected_product


@given(st.integers(1, 10_000))
def test_half_of_a_product_that_is_even_is_whole(length: int) -> None:
    assert value(half(T * (T + 1)), {"T": length}) == sum(range(length + 1))


def test_half_of_an_odd_size_has_no_integer() -> None:
    with pytest.raises(ValueError, match="not a whole number"):
        value(half(T), {"T": 3})


def test_a_letter_without_a_value_is_named() -> None:
    with pytest.raises(KeyError, match="D"):
        value(T * D, {"T": 3})


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (2 * B * T * D, "2*B*D*T"),
        (as_poly(0), "0"),
        (7, "7"),
        (T - 1, "T - 1"),
        (1 - T, "-T + 1"),
        (half(T * (T + 1)), "T**2/2 + T/2"),
        ((T + 5) // 2, "floor((T + 5) / 2)"),
        (B // (T * D), "floor(B / (D*T))"),
        (least(T, 128), "min(128, T)"),
        (4 * D // 2, "2*D"),
    ],
)
def test_formulas_read_as_a_person_writes_them(size: Size, expected: str) -> None:
    assert text(size) == expected


def test_the_sign_of_multiplication_can_be_chosen() -> None:
    assert text(2 * B * D, "·") == "2·B·D"


def test_extremes_of_numbers_are_numbers() -> None:
    assert constant(least(3, 5, 4)) == 3
    assert constant(greatest(3, 5, 4)) == 5
    assert least(T, T) == T
    assert least(T, 9, 7) == least(7, T)


def test_a_constant_has_no_letters() -> None:
    assert constant(T - T + 4) == 4
    assert constant(T) is None
    assert (T * D - D * T).letters == frozenset()


def test_letters_inside_calls_count() -> None:
    assert ((T + S) // 3).letters == {"T", "S"}
    assert least(D, B).at({"D": 4}).letters == {"B"}


def test_equal_polynomials_hash_alike() -> None:
    assert len({(T + 1) * (T - 1), T * T - 1, T**2 - 1}) == 1
