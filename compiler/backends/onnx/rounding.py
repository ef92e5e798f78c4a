"""Blocks of numbers as small integers and scales, by NumPy alone."""

from typing import TYPE_CHECKING, Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.hadamard import spread_rows
from compiler.ir.integers import Integers

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

SHARES: Final = (1.0, 0.85)
"""Parts of the usual scale that are tried: a smaller one clips the largest numbers. More of them
gain no measurable cosine on MiniLM. Nor do the half-quadratic steps of HQQ (Badri & Shaji 2023),
which take ten times as long."""

PAIR: Final = 127.0
"""What two neighbouring codes of a column add up to at most. Processors without VNNI add the
products of two neighbours in 16 bits, which hold 255 · 128: no input overflows them, and the
numbers are the same everywhere."""

CELL: Final = 1 << 18
"""Elements worked on at a time: what is between fits the cache, and threads seldom wait for each
other's turn in Python."""


class Codes(Frozen):
    """Rows of a matrix as integers: `codes` are bytes [rows, blocks, blob] as the runtime packs
    them, `scales` float32 [rows, blocks], `zeros` their codes of zero, packed, or None where that
    is the middle one; `lost` is the squared error, `whole` the squared numbers.
    """

    codes: "Array"
    scales: "Array"
    zeros: "Array | None"
    lost: float
    whole: float


def rounded(rows: "Array", integers: Integers) -> Codes:
    """Rows [R, I] of a matrix as blocks of integers; what a last block lacks is zeros."""
    import numpy as np

    assert integers.block is not None
    block, bits = integers.block, integers.bits
    count, width = rows.shape
    blocks = -(-width // block)
    if blocks * block != width:
        padded = np.zeros((count, blocks * block), np.float32)
        padded[:, :width] = rows
        rows = padded
    flat = rows.reshape(-1, block)
    codes = np.empty(flat.shape, np.uint8)
    scales = np.empty(len(flat), np.float32)
    middle = 1 << (bits - 1)
    zeros = np.empty((len(flat), 1), np.uint8)
    asymmetric = integers.rounding == "zero-point"
    lost = whole = 0.0
    some = max(1, CELL // block)
    for start in range(0, len(flat), some):
        part = slice(start, start + some)
        x = np.ascontiguousarray(flat[part], np.float32)
        usual, zero = (_between if asymmetric else _about)(x, middle)
        if integers.rounding == "symmetric":
            steps, found = _nearest(x, usual, middle), usual
        else:
            steps, found = _fitted(x, usual, zero, 2 * middle - 1)
        codes[part], scales[part], zeros[part] = steps + zero, found, zero
        steps *= found[:, None]
        steps -= x
        lost += float(np.vdot(steps, steps))
        whole += float(np.vdot(x, x))
    packed = codes.reshape(count, blocks, block)
    held = _packed(zeros.reshape(count, blocks), bits) if asymmetric else None
    return Codes(_packed(packed, bits), scales.reshape(count, blocks), held, lost, whole)


def rounded_columns(rows: "Array") -> Codes:
    """Outputs [R, I] of a matrix, spread, with a scale each: codes int8 [R, I], scales float32
    [R]."""
    import numpy as np

    rows = spread_rows(rows.astype(np.float32, copy=False))
    pairs = np.abs(rows[:, : rows.shape[1] // 2 * 2].reshape(len(rows), -1, 2).sum(axis=2))
    scales = np.maximum(np.abs(rows).max(axis=1) / np.float32(127), pairs.max(axis=1) / PAIR)
    codes = np.rint(rows * _inverse(scales)[:, None])
    error = codes * scales[:, None] - rows
    lost, whole = float(np.vdot(error, error)), float(np.vdot(rows, rows))
    return Codes(codes.astype(np.int8), scales, None, lost, whole)


def _ends(x: "Array") -> "tuple[Array, Array]":
    """The largest and the least number of each row; NumPy finds where they are faster than them."""
    import numpy as np

    rows = np.arange(len(x))
    return x[rows, x.argmax(axis=1)], x[rows, x.argmin(axis=1)]


def _about(x: "Array", middle: int) -> "tuple[Array, Array]":
    """Scales [n] of blocks x [n, block] whose number furthest from zero has code 0, and the code
    of zero, one number."""
    import numpy as np

    high, low = _ends(x)
    return np.where(high > -low, high, low) / np.float32(-middle), np.asarray(middle, np.float32)


def _between(x: "Array", middle: int) -> "tuple[Array, Array]":
    """Scales [n] of blocks x [n, block] whose codes go from the least number to the largest, zero
    among them, and the codes of zero [n, 1]."""
    import numpy as np

    high, low = _ends(x)
    high, low = np.maximum(high, np.float32(0)), np.minimum(low, np.float32(0))
    scales = (high - low) / np.float32(2 * middle - 1)
    return scales, np.rint(-low * _inverse(scales))[:, None]


def _nearest(x: "Array", scales: "Array", middle: int) -> "Array":
    """The whole steps from zero next to the numbers; halves go up."""
    import numpy as np

    steps = x * _inverse(scales)[:, None]
    steps += np.float32(middle + 0.5)
    np.clip(steps, None, np.float32(2 * middle - 0.5), out=steps)
    np.floor(steps, out=steps)
    steps -= np.float32(middle)
    return steps


def _fitted(x: "Array", scales: "Array", zero: "Array", most: int) -> "tuple[Array, Array]":
    """Whole steps from zero up to the code `most`, and scales fitted to them by least squares; of
    several parts of the usual scale each block takes the one with the least squared error."""
    import numpy as np

    steps = x * _inverse(scales)[:, None]
    least, largest = -zero, np.float32(most) - zero
    best = np.full(len(x), -1, np.float32)
    kept, found = steps, scales
    for share in SHARES:
        tried = np.rint(steps if share == 1 else steps * np.float32(1 / share))
        np.clip(tried, least, largest, out=tried)
        along = np.einsum("nb,nb->n", x, tried)
        fitted = along * _inverse(np.vecdot(tried, tried))
        gain = along * fitted
        better = gain > best
        best = np.where(better, gain, best)
        found = np.where(better, fitted, found)
        if share == SHARES[0]:
            kept = tried
        else:
            kept[better] = tried[better]
    return kept, found


def _inverse(scales: "Array") -> "Array":
    """One over each number, and zero over zero."""
    import numpy as np

    return np.divide(1, scales, out=np.zeros_like(scales), where=scales != 0)


def _packed(codes: "Array", bits: int) -> "Array":
    """Codes of 4 bits in pairs along the last axis, the first in the low half; others as they
    are."""
    import numpy as np

    if bits == 8:
        return codes
    if codes.shape[-1] % 2:
        codes = np.concatenate([codes, np.zeros_like(codes[..., :1])], axis=-1)
    pairs = np.ascontiguousarray(codes).view("<u2")
    packed: Array = (pairs | pairs >> np.uint16(4)).astype(np.uint8)
    return packed
