"""Closed formulas of visible pairs against masks counted cell by cell."""

from hypothesis import given
from hypothesis import strategies as st

from compiler.ir.size import letter, value
from compiler.ops.visible_pairs import visible_pairs

LENGTH = st.integers(1, 14)
REACH = st.none() | st.integers(1, 16)


def counted(target: int, source: int, causal: bool, window: int | None, chunk: int | None) -> int:
    """Pairs of the last `target` of `source` positions that may see each other."""
    pairs = 0
    for q in range(source - target, source):
        for k in range(source):
            far = q - k if causal else abs(q - k) - 1
            pairs += (
                (not causal or k <= q)
                and (window is None or far < window)
                and (chunk is None or q // chunk == k // chunk)
            )
    return pairs


@given(LENGTH, st.integers(0, 9), REACH, REACH)
def test_causal_and_rectangular(
    target: int, earlier: int, window: int | None, chunk: int | None
) -> None:
    source = target + earlier
    T, S = letter("T"), letter("S")
    found = value(visible_pairs(T, S, True, window, chunk), {"T": target, "S": source})
    assert found == counted(target, source, True, window, chunk)


@given(LENGTH, REACH, REACH)
def test_both_sides(length: int, window: int | None, chunk: int | None) -> None:
    T = letter("T")
    found = value(visible_pairs(T, T, False, window, chunk), {"T": length})
    assert found == counted(length, length, False, window, chunk)


def test_formulas_that_costs_quote() -> None:
    """Full, causal, and a window of a long sequence: S·W - W(W - 1)/2."""
    T, S = letter("T"), letter("S")
    assert str(visible_pairs(T, S, False)) == "S*T"
    assert str(visible_pairs(T, T, True)) == "T**2/2 + T/2"
    window = value(visible_pairs(T, T, True, 128), {"T": 8192})
    assert window == 8192 * 128 - 128 * 127 // 2
