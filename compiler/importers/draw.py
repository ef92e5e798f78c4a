"""Parameters drawn from a seed: the same bytes on every machine, in any order, in any pieces.

Each parameter has its own Philox stream (Salmon et al. 2011), keyed by its name and the seed.
Philox is a counter put through integer arithmetic: element n is made of word n of the stream,
whatever was drawn before it, and NumPy promises that a bit generator's raw words never change
(NEP 19). From a word to a number we use exactly rounded arithmetic only (see `quantile`).
"""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from hashlib import sha256
from math import prod
from typing import TYPE_CHECKING

from compiler.importers.lazy import Lazy
from compiler.importers.quantile import normal_quantile
from compiler.ir.init import Init

if TYPE_CHECKING:
    from numpy.random import Philox

    from compiler.importers.lazy import Array

BLOCK = 8
"""32-bit words that one step of the counter gives."""

CELLS = 1 << 16
"""Equally likely intervals of the normal distribution, within which numbers lie evenly."""

STEP = 1 << 15
"""Elements worked on at a time, so that what is between fits the cache."""

FIXED = {"zeros": 0.0, "ones": 1.0}


def draw(name: str, shape: tuple[int, ...], init: Init, seed: int = 0) -> "Array":
    """The parameter `name` drawn by `init`: float32, of `shape`."""
    return drawn_piece(name, init, 0, prod(shape), seed).reshape(shape)


def drawn(
    shapes: Mapping[str, tuple[int, ...]], inits: Mapping[str, Init], seed: int = 0
) -> dict[str, Lazy]:
    """A lazy source for each parameter of `shapes`, drawn in pieces when it is written."""
    return {name: _lazy(name, shape, inits[name], seed) for name, shape in shapes.items()}


def drawn_piece(name: str, init: Init, start: int, count: int, seed: int = 0) -> "Array":
    """`count` elements of the parameter `name` from element `start` on, flat, float32."""
    import numpy as np

    if init.kind in FIXED or init.kind == "constant":
        return np.full(count, FIXED.get(init.kind, init.a), np.float32)
    result = np.empty(count, np.float32)
    stream = _stream(name, start, seed)
    normal = init.kind == "normal"
    standard = _normal if normal else _uniform
    skipped = start % BLOCK
    for first in range(-skipped, count, STEP):
        words = stream.random_raw(STEP // 2).astype("<u8", copy=False).view("<u4")
        begin, end = max(first, 0), min(first + STEP, count)
        kept = words[begin - first : end - first]
        result[begin:end] = standard(kept)
    result *= np.float32(init.a if normal else init.bound)
    return result


def _lazy(name: str, shape: tuple[int, ...], init: Init, seed: int) -> Lazy:
    size = prod(shape)

    def stream(most: int) -> Iterator["Array"]:
        for start in range(0, size, most):
            yield drawn_piece(name, init, start, min(most, size - start), seed)

    return Lazy(shape, "F32", partial(draw, name, shape, init, seed), stream)


def _stream(name: str, start: int, seed: int) -> "Philox":
    """The words of the stream of `name`, from the block that holds word `start` on."""
    import numpy as np

    digest = sha256(f"{seed}\0{name}".encode()).digest()
    key = np.frombuffer(digest[:16], "<u8").astype(np.uint64)
    return np.random.Philox(key=key, counter=start // BLOCK)


def _uniform(words: "Array") -> "Array":
    """Even in (-1, 1): the upper 24 bits, half a step from either end."""
    import numpy as np

    numbers: Array = (words >> np.uint32(8)).astype(np.float32)
    numbers *= np.float32(2.0**-23)
    numbers += np.float32(2.0**-24 - 1.0)
    return numbers


def _normal(words: "Array") -> "Array":
    """Standard normal: the upper 16 bits choose the cell, the lower 16 the place within it.

    The first and the last cell are unbounded; numbers there are exact quantiles of all 32 bits.
    """
    import numpy as np

    lowest, slope, outermost = _cells()
    halves = words.view("<u2")
    cell = halves[1::2].astype(np.intp)
    numbers: Array = slope.take(cell)
    numbers *= halves[0::2].astype(np.float32)
    numbers += lowest.take(cell)
    outer = np.flatnonzero((cell == 0) | (cell == CELLS - 1))
    if outer.size:
        place = (words[outer] & np.uint32(CELLS - 1)).astype(np.intp)
        numbers[outer] = np.where(cell[outer] == 0, outermost[place], -outermost[~place])
    return numbers


@cache
def _cells() -> tuple["Array", "Array", "Array"]:
    """Of each cell the number for lower bits of 0 and the step between two values of them.

    And, for the first cell, the number for each value of the lower bits; the last cell mirrors it.
    """
    import numpy as np

    edges = normal_quantile(np.arange(1, CELLS) / CELLS)
    below = np.concatenate([[0.0], edges[:-1], [0.0]])
    steps = np.concatenate([[0.0], np.diff(edges), [0.0]]) / CELLS
    outermost = normal_quantile((np.arange(CELLS) + 0.5) / CELLS**2)
    lowest = (below + 0.5 * steps).astype(np.float32)
    return lowest, steps.astype(np.float32), outermost.astype(np.float32)
