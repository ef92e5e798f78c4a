"""Sizes: in any order, over each other, whole or not."""

import pytest

from archspec.source.number import Sized
from tests.archspec.reading import HEAD, TOK, codes, spec


def test_order_does_not_matter_and_texts_are_kept() -> None:
    dims = spec(f"{HEAD}dims: {{c: b/3, b: 2*a, a: 24, f: 1/3, e: 1e3}}\n{TOK}").dims
    assert dict(dims) == {"c": 16, "b": 48, "a": 24, "f": pytest.approx(1 / 3), "e": 1000}
    texts = {name: size.said for name, size in dims.items() if isinstance(size, Sized)}
    assert texts == {"c": "b/3", "b": "2*a", "a": "24", "e": "1000"}


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        ("{a: b, b: a}", ["AR0604"]),
        ("{a: a}", ["AR0604"]),
        ("{a: b, b: c, c: d, d: b}", ["AR0604"]),
        ("{a: x, b: 2*a, c: b + a}", ["AR0601"]),
        ("{a: true}", ["AR0104"]),
        ("{a: [1]}", ["AR0104"]),
        ("{a: }", ["AR0105"]),
        ("{a: none}", ["AR0601"]),
        ("{sqrt: 2}", ["AR0404"]),
        ("{a-b: 2}", ["AR0404"]),
        ("{a: 2**50}", ["AR0603"]),
        ("[a, b]", ["AR0104"]),
        ("{a: .inf}", ["AR0602"]),
    ],
)
def test_each_fault_is_said_once(dims: str, expected: list[str]) -> None:
    assert codes(f"{HEAD}dims: {dims}\n{TOK}") == expected


def test_a_long_chain_is_no_recursion() -> None:
    chain = ", ".join(f"a{i}: a{i + 1}" for i in range(900))
    assert "AR0603" in codes(f"{HEAD}dims: {{{chain}, a900: 1}}\n{TOK}")
