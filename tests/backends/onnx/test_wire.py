"""Our bytes of Protocol Buffers against those that Google's library writes for onnx's messages."""

import struct

import hypothesis.strategies as st
import pytest
from hypothesis import given
from onnx import AttributeProto, StringStringEntryProto

from compiler.backends.onnx.wire import content, integer, single, text

FLOAT32 = st.floats(width=32, allow_nan=False)


@given(st.integers(-(2**63), 2**63 - 1))
def test_integers(number: int) -> None:
    assert integer(3, number) == AttributeProto(i=number).SerializeToString()


@given(FLOAT32)
def test_floats(number: float) -> None:
    assert single(2, number) == AttributeProto(f=number).SerializeToString()


def test_a_float_becomes_the_nearest_of_32_bits() -> None:
    assert single(2, 0.1) == AttributeProto(f=0.1).SerializeToString()
    assert struct.unpack("<f", single(2, 3.4028235e38)[1:]) == (3.4028234663852886e38,)
    with pytest.raises(OverflowError):
        single(2, 1e39)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_texts(said: str) -> None:
    assert text(2, said) == StringStringEntryProto(value=said).SerializeToString()


@given(st.binary(max_size=300))
def test_contents(held: bytes) -> None:
    assert content(4, held) == AttributeProto(s=held).SerializeToString()


@pytest.mark.parametrize("field", [1, 15, 16, 20, 2047, 2048])
def test_fields_beyond_fifteen_have_longer_tags(field: int) -> None:
    tag = integer(field, 0)[:-1]
    assert len(tag) == (1 if field < 16 else 2 if field < 2048 else 3)
    assert AttributeProto.FromString(integer(20, 7)).type == 7
