"""The file of weights beside a model: where each tensor lies, and its bytes as a stream."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx.listing import Weight
from compiler.importers.hashed import File, hashed
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

BLOCK: Final = LINE // WIDTH
"""Rows turned into columns at a time: each of their columns fills a cache line."""


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
    with hashed(path) as file:
        for name, weight in weights.items():
            file.write(bytes(where[name].offset - file.bytes))
            for piece in stream(weight, sources):
                file.write(piece)
                if progress is not None:
                    progress(piece.nbytes)
        return file.measured()


def stream(weight: Weight, sources: Mapping[str, Lazy]) -> Iterator["Array"]:
    """The numbers of a weight as the file has them: float32, little-endian, flat, in pieces."""
    for name, _ in weight.parts:
        words = numbers(sources[name].load(), sources[name].dtype)
        blocks = words.reshape(len(weight.order), -1)[list(weight.order)]
        yield blocks.reshape(-1).astype("<f4", copy=False)
    if weight.parts:
        return
    source = sources[weight.parameter]
    held = source if weight.member is None else source.member(weight.member)
    pieces = _columns(held) if weight.transposed else held.pieces()
    for piece in pieces:
        yield numbers(piece, held.dtype).astype("<f4", copy=False)


def _columns(source: Lazy) -> Iterator["Array"]:
    """The stored words of a matrix column after column, some columns at a time."""
    import numpy as np

    words = source.load()
    rows, columns = words.shape
    some = max(1, PIECE // rows)
    for start in range(0, columns, some):
        part = words[:, start : start + some]
        turned = np.empty(part.shape[::-1], words.dtype)
        for row in range(0, rows, BLOCK):
            turned[:, row : row + BLOCK] = part[row : row + BLOCK].T
        yield turned.reshape(-1)
