"""A tensor that is read when it is asked for: shape and type now, numbers later."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from archspec.source.frozen import Frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[Any]

WORDS = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "F8_E5M2": "u1",
    "F8_E4M3": "u1",
    "F8_E8M0": "u1",
    "F8_E4M3FNUZ": "u1",
    "F8_E5M2FNUZ": "u1",
    "I16": "<i2",
    "U16": "<u2",
    "F16": "<f2",
    "BF16": "<u2",
    "I32": "<i4",
    "U32": "<u4",
    "F32": "<f4",
    "I64": "<i8",
    "U64": "<u8",
    "F64": "<f8",
    "C64": "<c8",
}
"""Type names of the safetensors format, and the NumPy words their bytes are held in."""

NUMBERS = frozenset({"F16", "BF16", "F32", "F64"})
"""The types a parameter may have: floating point that stands for itself, without scales."""

PIECE = 1 << 21
"""Elements moved at a time: 8 MiB of float32."""


def width(dtype: str) -> int:
    """Bytes of one element of `dtype`."""
    words = WORDS[dtype]
    return 1 if words == "?" else int(words[-1])


class Stored(Frozen):
    """Where the words of a tensor lie in a file, in C order: the file, and its first byte.

    Of one that is `turned` those of its transposed, a matrix, lie there.
    """

    path: Path
    offset: int
    turned: bool = False


class Piece(Frozen):
    """The place of a tensor in the one that it was cut from: an axis, and the first index there."""

    whole: "Lazy"
    axis: int
    start: int


class Lazy(Frozen):
    """A tensor with a promise of its numbers.

    `dtype` is the safetensors name. `load` gives the stored words in `shape`: NumPy has no
    bfloat16, so its words are uint16. `stream`, where it is cheaper than `load`, gives the same
    words flat and in order, in pieces of at most the asked number of elements.
    """

    shape: tuple[int, ...]
    dtype: str
    load: Callable[[], "Array"]
    stream: Callable[[int], Iterator["Array"]] | None = None
    members: "tuple[Lazy, ...] | None" = None
    """The tensors along its first dimension, where it was stacked of some."""
    stored: Stored | None = None
    """Where it lies, where that is a file which can be mapped."""
    piece: Piece | None = None
    """What it was cut from."""

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes as stored."""
        return self.size * width(self.dtype)

    def read(self) -> "Array":
        """The numbers, of `shape`: bfloat16 widened to float32, every other type as stored."""
        return numbers(self.load(), self.dtype)

    def pieces(self, most: int = PIECE) -> Iterator["Array"]:
        """The stored words, flat and in order, in contiguous pieces of about `most` elements."""
        if self.stream is not None:
            yield from self.stream(most)
            return
        yield from cut(self.load(), most)

    def member(self, index: int) -> "Lazy":
        """The tensor at one place of the first dimension."""
        if self.members is not None:
            return self.members[index]
        found = self.mapped(self.shape[1:], lambda words: words[index])
        if self.stored is None or self.stored.turned:
            return found
        offset = self.stored.offset + index * found.nbytes
        return replace(found, stored=Stored(self.stored.path, offset))

    def mapped(self, shape: tuple[int, ...], change: Callable[["Array"], "Array"]) -> "Lazy":
        """The same words after `change`, which gives an array of `shape` and is run on reading."""
        return Lazy(shape, self.dtype, lambda: change(self.load()))


def numbers(words: "Array", dtype: str) -> "Array":
    """The numbers that stored `words` stand for; float32 for bfloat16 words."""
    import numpy as np

    if dtype != "BF16":
        return words
    return (words.astype(np.uint32) << np.uint32(16)).view(np.float32)


def cut(words: "Array", most: int) -> Iterator["Array"]:
    """`words` flat, in C order, in contiguous pieces of about `most` elements, at least a row."""
    import numpy as np

    if words.flags.c_contiguous:
        flat = words.reshape(-1)
        for start in range(0, flat.size, most):
            yield flat[start : start + most]
        return
    rows = max(1, most * len(words) // words.size)
    for start in range(0, len(words), rows):
        yield np.ascontiguousarray(words[start : start + rows]).reshape(-1)


def join(parts: Sequence[Lazy], axis: int = 0) -> Lazy:
    """The concatenation of `parts` along `axis`; float32 when their types differ.

    That of all that a tensor was cut into is the tensor.
    """
    uncut = _uncut(parts, axis)
    if uncut is not None:
        return uncut
    types = {part.dtype for part in parts}
    dtype = parts[0].dtype if len(types) == 1 else "F32"
    members = [part if part.dtype == dtype else widened(part) for part in parts]
    first = members[0].shape
    shape = (*first[:axis], sum(part.shape[axis] for part in members), *first[axis + 1 :])

    def load() -> "Array":
        import numpy as np

        return np.concatenate([part.load() for part in members], axis=axis)

    def stream(most: int) -> Iterator["Array"]:
        for part in members:
            yield from part.pieces(most)

    return Lazy(shape, dtype, load, stream if axis == 0 else None)


def _uncut(parts: Sequence[Lazy], axis: int) -> Lazy | None:
    """The tensor that was cut into `parts`, in their order and without a rest."""
    first = parts[0].piece
    if first is None or first.axis != axis:
        return None
    at = 0
    for part in parts:
        piece = part.piece
        if piece is None or piece.whole is not first.whole or piece.axis != axis:
            return None
        if piece.start != at:
            return None
        at += part.shape[axis]
    return first.whole if at == first.whole.shape[axis] else None


def stack(members: Sequence[Lazy]) -> Lazy:
    """`members` of one shape along a new first dimension; float32 when their types differ."""
    whole = join(members)
    shape = (len(members), *members[0].shape)

    def load() -> "Array":
        return whole.load().reshape(shape)

    return Lazy(shape, whole.dtype, load, whole.stream, tuple(members))


def widened(tensor: Lazy) -> Lazy:
    """`tensor` in float32."""
    return Lazy(tensor.shape, "F32", lambda: tensor.read().astype("<f4"))


def same(one: Lazy, other: Lazy) -> bool:
    """Whether two tensors hold equal numbers (NaN equals NaN), compared a few rows at a time."""
    import numpy as np

    if one.shape != other.shape:
        return False
    left, right = np.atleast_1d(one.load()), np.atleast_1d(other.load())
    rows = max(1, PIECE * len(left) // max(1, left.size))
    return all(
        np.array_equal(
            numbers(left[start : start + rows], one.dtype),
            numbers(right[start : start + rows], other.dtype),
            equal_nan=True,
        )
        for start in range(0, len(left), rows)
    )
