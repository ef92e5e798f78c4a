"""The file of weights beside a model: where each tensor lies, and its bytes as a stream."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx.listing import Weight
from compiler.importers.lazy import PIECE, Lazy, numbers

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

WIDTH: Final = 4
INLINE: Final = 1024
"""Bytes below which a tensor stays in the model file."""

LARGE: Final = 1 << 20
PAGE: Final = 4096
"""Where a large tensor begins, so that a runtime can map it."""

LINE: Final = 64
"""Where any other begins: a cache line."""


@dataclass(frozen=True)
class File:
    """One file as written: its length in bytes and its SHA-256."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Place:
    """Where a tensor lies in the file, in bytes."""

    offset: int
    length: int


def nbytes(weight: Weight) -> int:
    """The bytes of a weight in the file."""
    return prod(weight.shape) * WIDTH


def places(weights: Mapping[str, Weight]) -> dict[str, Place]:
    """Every tensor one after the other, aligned, in the given order."""
    found: dict[str, Place] = {}
    end = 0
    for name, weight in weights.items():
        length = nbytes(weight)
        grain = PAGE if length >= LARGE else LINE
        offset = -(-end // grain) * grain
        found[name] = Place(offset, length)
        end = offset + length
    return found


def write_data(
    path: Path,
    weights: Mapping[str, Weight],
    where: Mapping[str, Place],
    sources: Mapping[str, Lazy],
    progress: Callable[[int], None] | None,
) -> File:
    """Write every tensor to its place.

    One tensor and a small buffer are in memory at most. The caller syncs.
    """
    digest = hashlib.sha256()
    end = 0
    with path.open("wb") as file:
        for name, weight in weights.items():
            padding = bytes(where[name].offset - end)
            file.write(padding)
            digest.update(padding)
            for piece in stream(weight, sources[weight.parameter]):
                file.write(piece.data)
                digest.update(piece.data)
                if progress is not None:
                    progress(piece.nbytes)
            end = where[name].offset + where[name].length
    return File(end, digest.hexdigest())


def stream(weight: Weight, source: Lazy) -> Iterator["Array"]:
    """The numbers of a weight as the file has them: float32, little-endian, flat, in pieces."""
    pieces = _columns(source) if weight.transposed else source.pieces()
    for piece in pieces:
        yield numbers(piece, source.dtype).astype("<f4", copy=False)


def _columns(source: Lazy) -> Iterator["Array"]:
    """The stored words of a matrix column after column, some columns at a time."""
    import numpy as np

    words = source.load()
    rows, columns = words.shape
    some = max(1, PIECE // rows)
    for start in range(0, columns, some):
        yield np.ascontiguousarray(words[:, start : start + some].T).reshape(-1)
