"""Models of CTranslate2 in its binary version 6: variables one after another, then aliases.

A text is a 16-bit count of its bytes, the zero that ends it among them. A variable is its name, an
8-bit rank, 32-bit sizes, an 8-bit type, a 32-bit count of bytes, and the bytes; all little-endian.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

VERSION = 6
TYPES = {0: "<f4", 1: "i1", 2: "<i2", 3: "<i4", 4: "<f2"}


@dataclass(frozen=True)
class Binary:
    """What a model file holds.

    Attributes:
        architecture: the name of the class that runs it, such as `WhisperSpec`.
        variables: parameters and settings by their names.
        aliases: names that stand for a variable.
    """

    architecture: str
    variables: dict[str, npt.NDArray[Any]]
    aliases: dict[str, str]


class _Reader:
    """The bytes of a file, taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, length: int) -> bytes:
        found = self.data[self.at : self.at + length]
        if len(found) < length:
            raise ValueError(f"the file ends within {length} bytes at {self.at}")
        self.at += length
        return found

    def numbers(self, letters: str) -> tuple[int, ...]:
        return struct.unpack(f"<{letters}", self.take(struct.calcsize(f"<{letters}")))

    def number(self, letter: str) -> int:
        return self.numbers(letter)[0]

    def text(self) -> str:
        return self.take(self.number("H"))[:-1].decode()

    def variable(self) -> tuple[str, npt.NDArray[Any]]:
        name = self.text()
        shape = self.numbers("I" * self.number("B"))
        kind = TYPES[self.number("B")]
        return name, np.frombuffer(self.take(self.number("I")), kind).reshape(shape)


def read_binary(path: Path) -> Binary:
    """Read a whole `model.bin`; raises ValueError for another version and for bytes left over."""
    reader = _Reader(path.read_bytes())
    if (version := reader.number("I")) != VERSION:
        raise ValueError(f"{path.name} is of version {version}")
    architecture, _revision = reader.text(), reader.number("I")
    variables = dict(reader.variable() for _ in range(reader.number("I")))
    aliases = {reader.text(): reader.text() for _ in range(reader.number("I"))}
    if reader.at != len(reader.data):
        raise ValueError(f"{len(reader.data) - reader.at} bytes are left over")
    return Binary(architecture, variables, aliases)
