"""Rows that do not fit a model are refused by their number, what they have and what there is."""

from typing import Any

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.runtime.fit import check_fit
from compiler.runtime.published import Published

KNOWN = Published(longest={"ids": 4, "x": 2}, vocabularies={"ids": 10, "ids_types": 2})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ids": [np.array([1, 10])]}, "`ids` has the id 10"),
        ({"ids": np.array([[1, 2], [3, -1]])}, "row 2 of `ids` has the id -1"),
        ({"ids": np.array([[1, 2], [3, 2**40]])}, "row 2 of `ids` has the id 1099511627776"),
        ({"ids": [np.arange(4), np.arange(5)]}, "row 2 of `ids` has 5 ids and the model reads at"),
        ({"ids": np.zeros((1, 5), int)}, "`ids` has 5 ids and the model reads at most 4"),
        ({"x": np.zeros((1, 3, 7), "f4")}, "`x` has 3 places and the model reads at most 2"),
        ({"ids": [np.arange(2)], "ids_types": np.array([[0, 2]])}, "`ids_types` has the id 2"),
        ({"ids": np.array(3)}, "`ids` is one number"),
        ({"ids": np.array([["a"]])}, "`ids` holds no numbers but <U1"),
        ({"other": np.array([["2026-01-01"]], "M8[D]")}, "`other` holds no numbers but datetime"),
    ],
)
def test_what_does_not_fit_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(CannotAnswer) as caught:
        check_fit(given, KNOWN)
    assert caught.value.message.startswith(said)


@pytest.mark.parametrize(
    "given",
    [
        {"ids": [np.array([0, 9, 9, 0])], "ids_types": np.array([[0, 1, 1, 0]])},
        {"ids": np.zeros((0, 3), int)},
        {"ids": [np.zeros(0, int)]},
        {"other": np.full((2, 9), 99)},
        {"x": np.zeros((3, 2), "f4")},
    ],
)
def test_what_fits_or_is_not_known_passes(given: dict[str, Any]) -> None:
    check_fit(given, KNOWN)
