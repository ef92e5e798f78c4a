"""Numbers that a file has no words for are refused, against the types of NumPy and ml_dtypes."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.backends.onnx.listing import Element
from compiler.backends.onnx.words import LARGEST, finite_words

FLOATS: dict[Element, Any] = {
    Element.float32: np.finfo(np.float32),
    Element.float16: np.finfo(np.float16),
    Element.bfloat16: ml_dtypes.finfo(ml_dtypes.bfloat16),  # type: ignore[no-untyped-call]
}


@pytest.mark.parametrize("element", FLOATS)
def test_up_to_the_largest_all_numbers_have_words(element: Element) -> None:
    most = float(FLOATS[element].max)
    assert most == LARGEST[element]
    ends = np.array([-most, 0, most], np.float32)
    words = finite_words(ends, element, "w").view(FLOATS[element].dtype)
    assert np.array_equal(words.astype(np.float32), ends)
    assert finite_words(ends[:0], element, "w").size == 0


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("element", FLOATS)
def test_nan_and_infinity_have_none(element: Element, odd: float) -> None:
    with pytest.raises(CannotAnswer, match=r"`h\.up` holds NaN or infinity"):
        finite_words(np.array([1, odd, 2], np.float32), element, "h.up")


@pytest.mark.parametrize(
    ("element", "number"),
    [(Element.float16, np.float32(-65537)), (Element.float32, np.float64(1e39))],
)
def test_nor_have_numbers_beyond_the_largest(element: Element, number: np.floating) -> None:
    with pytest.raises(CannotAnswer, match=f"beyond .*, the largest that {element} has"):
        finite_words(np.array([1, number]), element, "w")
