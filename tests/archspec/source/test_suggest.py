"""Suggestions are the word that was meant, or none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archspec.source.suggest import distance, existing, listed, nearest

WORDS = ["heads", "kv_heads", "head_dim", "mask", "norm_at", "norm", "embed", "unembed"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("kv_head", "kv_heads"),
        ("haeds", "heads"),
        ("Heads", "heads"),
        ("normat", "norm_at"),
        ("masc", "mask"),
        ("embedding", "embed"),
        ("window", None),
        ("x", None),
        ("h" * 1000, None),
    ],
)
def test_nearest(written: str, meant: str | None) -> None:
    assert nearest(written, WORDS) == meant


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance_is_a_distance(one: str, other: str) -> None:
    assert distance(one, other, 9) == distance(other, one, 9)
    assert (distance(one, other, 9) == 0) == (one == other)
    assert distance(one, other, 9) <= max(len(one), len(other))
    assert distance(one + "x", other + "x", 9) <= distance(one, other, 9)


def test_neighbours_swapped_are_one_edit() -> None:
    assert distance("haeds", "heads", 5) == 1
    assert distance("abcdef", "badcfe", 5) == 3


def test_lists_of_words() -> None:
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b", "c"], "and") == "`a`, `b` and `c`"
    assert existing(["a"], "block") == "the only block is `a`"
    assert existing([], "block") == ""
