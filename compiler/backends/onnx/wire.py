"""Fields of Protocol Buffers as bytes: importing a library for them takes longer than a model."""

import struct
from typing import Final

VARINT, CONTENT, FOUR_BYTES = 0, 2, 5
"""Wire types of https://protobuf.dev/programming-guides/encoding: how long a field is."""

SIGNED: Final = (1 << 64) - 1
"""Negative integers are written as if they had 64 bits without a sign."""


def integer(field: int, number: int) -> bytes:
    """A field with an integer from -2**63 to 2**63 - 1."""
    return _varint(field << 3 | VARINT) + _varint(number & SIGNED)


def single(field: int, number: float) -> bytes:
    """A field with the float32 nearest to a number; OverflowError where there is none."""
    return _varint(field << 3 | FOUR_BYTES) + struct.pack("<f", number)


def content(field: int, held: bytes) -> bytes:
    """A field with bytes or with a message."""
    return _varint(field << 3 | CONTENT) + _varint(len(held)) + held


def text(field: int, said: str) -> bytes:
    """A field with a text."""
    return content(field, said.encode("utf-8"))


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; all bytes but the last have the eighth."""
    if number < 0x80:
        return bytes((number,))
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)
