"""Constants of a model file against NumPy's numbers of the same types."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.backends.onnx.listing import Constant, Element, Listing, Weight
from compiler.backends.onnx.model import model_bytes
from tests.backends.onnx.built import compiled

TYPES = {
    Element.float32: np.float32,
    Element.float16: np.float16,
    Element.bfloat16: ml_dtypes.bfloat16,
}
PROGRAM = compiled(
    {
        "name": "one",
        "inputs": {"x": {"features": ["T", 4]}},
        "graph": {"y": {"linear": {"dim": 2}, "in": "x"}},
    }
)


def written(*constants: Constant, weights: tuple[Weight, ...] = ()) -> onnx.GraphProto:
    """A model file of nothing but these, as onnx reads it."""
    listing = Listing(
        constants={each.name: each for each in constants}, weights={w.name: w for w in weights}
    )
    held = model_bytes(PROGRAM, listing, {}, lambda w: np.full(w.shape, 0.5, "f2"))
    return onnx.load_model_from_string(held).graph


@given(st.lists(st.floats(-60_000, 60_000), min_size=1, max_size=9), st.sampled_from([*TYPES]))
def test_floats_become_the_nearest_of_their_type(values: list[float], element: Element) -> None:
    (made,) = written(Constant("c", element, tuple(values), vector=True)).initializer
    assert made.data_type == element
    first = np.float32 if element is Element.bfloat16 else TYPES[element]
    wanted = np.array(values, first).astype(TYPES[element])
    assert made.raw_data == wanted.tobytes()


@pytest.mark.parametrize("element", [*TYPES])
def test_infinity_stays(element: Element) -> None:
    (made,) = written(Constant("c", element, (-np.inf, np.inf), vector=True)).initializer
    assert made.raw_data == np.array([-np.inf, np.inf]).astype(TYPES[element]).tobytes()


def test_a_scalar_has_no_dimension_and_integers_are_whole() -> None:
    scalar = Constant("n", Element.int64, (2**31 - 1,), vector=False)
    flags = Constant("b", Element.bool, (True, False), vector=True)
    first, second = written(scalar, flags).initializer
    assert onnx.numpy_helper.to_array(first) == np.int64(2**31 - 1)
    assert onnx.numpy_helper.to_array(first).shape == ()
    assert list(onnx.numpy_helper.to_array(second)) == [True, False]


def test_a_small_weight_is_in_the_file() -> None:
    (made,) = written(
        weights=(Weight("w", "y.weight", (2, 2), element=Element.float16),)
    ).initializer
    assert np.array_equal(onnx.numpy_helper.to_array(made), np.full((2, 2), 0.5, "f2"))
