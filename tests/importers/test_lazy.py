import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.lazy import WORDS, Lazy, cut, join, same, width
from tests.importers.samples import Array, counted, lazy


def bfloat16(values: Array) -> Lazy:
    words = values.astype(ml_dtypes.bfloat16).view(np.uint16)
    return Lazy(values.shape, "BF16", lambda: words)


def test_bfloat16_is_widened_exactly() -> None:
    every = np.arange(1 << 16, dtype=np.uint16)
    ours = Lazy(every.shape, "BF16", lambda: every).read()
    np.testing.assert_array_equal(ours, every.view(ml_dtypes.bfloat16).astype(np.float32))


@pytest.mark.parametrize("dtype", WORDS)
def test_width_is_that_of_the_words(dtype: str) -> None:
    assert width(dtype) == np.dtype(WORDS[dtype]).itemsize


@given(st.lists(st.integers(0, 5), max_size=3), st.integers(1, 20), st.booleans())
def test_pieces_are_the_tensor_in_order(shape: list[int], most: int, turned: bool) -> None:
    tensor = counted(*shape).T if turned else counted(*shape)
    pieces = list(cut(tensor, most))
    flat = np.concatenate([np.empty(0, np.float32), *pieces])
    np.testing.assert_array_equal(flat, tensor.reshape(-1))
    row = tensor[0].size if tensor.ndim and len(tensor) else 1
    assert all(piece.size <= max(most, row) for piece in pieces)
    assert all(piece.flags.c_contiguous for piece in pieces)


@pytest.mark.parametrize("axis", [0, 1])
def test_join_concatenates(axis: int) -> None:
    parts = [counted(2, 3), counted(2, 3) + 100]
    whole = join([lazy(part) for part in parts], axis)
    wanted = np.concatenate(parts, axis)
    assert whole.shape == wanted.shape
    np.testing.assert_array_equal(whole.read(), wanted)
    np.testing.assert_array_equal(np.concatenate(list(whole.pieces(2))), wanted.reshape(-1))


def test_join_of_unlike_types_is_float32() -> None:
    whole = join([bfloat16(counted(2)), lazy(counted(3))])
    assert whole.dtype == "F32"
    np.testing.assert_array_equal(whole.read(), [0, 1, 0, 1, 2])


def test_same_compares_numbers_not_bytes() -> None:
    tensor = counted(40, 3)
    assert same(lazy(tensor), bfloat16(tensor))
    assert same(lazy(tensor), lazy(tensor.T.copy().T))
    assert not same(lazy(tensor), lazy(tensor + (tensor == 119)))
    assert not same(lazy(tensor), lazy(tensor[:-1]))
    assert same(lazy(np.array([np.nan, -0.0])), lazy(np.array([np.nan, 0.0])))
    assert same(lazy(counted()), lazy(counted()))
