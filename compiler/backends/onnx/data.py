"""The file of weights beside a model: where each tensor lies, and its bytes as a stream."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx.listing import Element, Weight
from compiler.backends.onnx.rounded_data import RoundedData
from compiler.backends.onnx.sheet import member_path
from compiler.backends.onnx.words import finite_words
from compiler.importers.hashed import File, hashed
from compiler.importers.lazy import PIECE, Lazy, numbers

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

DATA: Final = "model.onnx.data"

WIDTH: Final = 4
"""Bytes of a float32."""

STORED: Final = {Element.float32: "F32", Element.float16: "F16", Element.bfloat16: "BF16"}
"""What a checkpoint calls the types that a model reads as they lie."""

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
    """Where a tensor lies in a file, in bytes."""

    offset: int
    length: int
    file: str = DATA


def places(weights: Mapping[str, Weight]) -> dict[str, Place]:
    """Every tensor one after the other, aligned, in the given order; equal ones in one place."""
    found: dict[str, Place] = {}
    held: dict[tuple[object, ...], Place] = {}
    end = 0
    for name, weight in weights.items():
        if weight.content in held:
            found[name] = held[weight.content]
            continue
        length = weight.nbytes
        grain = PAGE if length >= LARGE else LINE
        offset = -(-end // grain) * grain
        found[name] = held[weight.content] = Place(offset, length)
        end = offset + length
    return found


def size(where: Mapping[str, Place]) -> int:
    """The bytes of a file with tensors at these places, of which there are some."""
    return max(place.offset + place.length for place in where.values())


def write_data(
    path: Path,
    weights: Mapping[str, Weight],
    where: Mapping[str, Place],
    sources: "Sources",
    progress: Callable[[int, int], None] | None,
) -> File:
    """Write every tensor to its place.

    One tensor and a small buffer are in memory at most. `progress` is told the bytes that are
    written and those of the whole file, piece after piece. The caller syncs.
    """
    whole = size(where)
    with hashed(path) as file:
        for name, weight in weights.items():
            if where[name].offset < file.bytes:
                continue
            file.write(bytes(where[name].offset - file.bytes))
            for piece in sources.stream(weight):
                file.write(piece)
                if progress is not None:
                    progress(file.bytes, whole)
        return file.measured()


class Sources:
    """The tensors that a model is made from, as the streams of bytes that its file has."""

    def __init__(self, tensors: Mapping[str, Lazy]) -> None:
        self.tensors = tensors
        self.rounded = RoundedData(self.of)

    def of(self, weight: Weight) -> Lazy:
        """The tensor behind a weight that is not made of several."""
        if weight.member is None:
            return self.tensors[weight.parameter]
        stack = self.tensors.get(weight.parameter)
        path = member_path(weight.parameter, weight.member)
        found = self.tensors[path] if stack is None else stack.member(weight.member)
        if weight.woven < 2:
            return found
        return found.mapped(found.shape, lambda words: _woven(words, weight.woven))

    def stream(self, weight: Weight) -> Iterator["Array"]:
        """The bytes of a weight as words, little-endian, flat, in pieces.

        Raises CannotAnswer where numbers are NaN, infinite or beyond what their type has.
        """
        if weight.integers is not None:
            yield from self.rounded.stream(weight)
            return
        for name, _ in weight.parts:
            words = numbers(self.tensors[name].load(), self.tensors[name].dtype)
            blocks = words.reshape(len(weight.order), -1)[list(weight.order)]
            yield finite_words(blocks.reshape(-1), weight.element, name)
        if weight.parts:
            return
        for each in weight.members():
            held = self.of(each)
            for piece in _columns(held) if weight.transposed else held.pieces():
                yield finite_words(numbers(piece, held.dtype), weight.element, weight.parameter)

    def read(self, weight: Weight) -> "Array":
        """A weight as an array of its shape."""
        import numpy as np

        return np.concatenate(list(self.stream(weight))).reshape(weight.shape)

    def lying(self, weight: Weight, linked: Mapping[Path, str]) -> Place | None:
        """Where a weight lies in one of the files that are in the folder, as the model has it."""
        if weight.parts or weight.woven or weight.integers is not None:
            return None
        source = self.of(weight)
        if source.stored is None or source.dtype != STORED.get(weight.element):
            return None
        if source.stored.path not in linked or source.stored.turned != weight.transposed:
            return None
        return Place(source.stored.offset, weight.nbytes, linked[source.stored.path])

    def check(self, weight: Weight) -> None:
        """Raises KeyError where a weight has no source, ValueError where its shape is another."""
        for name, shape in weight.parts:
            _same(name, self.tensors[name].shape, shape)
        if weight.parts or weight.integers is not None:
            return
        wanted = weight.shape[::-1] if weight.transposed else weight.shape
        for each in weight.members():
            _same(weight.parameter, self.of(each).shape, wanted[1:] if weight.woven else wanted)


def _same(name: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if found != wanted:
        raise ValueError(f"{name} is {found}, not {wanted}")


def _woven(words: "Array", parts: int) -> "Array":
    """A row of each of some equal parts in turn."""
    apart = words.reshape(parts, -1, *words.shape[1:])
    return apart.swapaxes(0, 1).reshape(words.shape)


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
