"""Outliers spread over their neighbours before vectors are rounded: x Wᵀ = (x R)(W R)ᵀ.

One scale for all numbers is as wide as the largest, and in transformers a few channels hold numbers
tens of times the others. R is orthogonal, in blocks of 64 (QuaRot: Ashkboos et al. 2024, section
3), so that an outlier becomes 64 numbers of an eighth. Each block is a Hadamard matrix whose rows
have signs without a pattern: what all channels share is spread as well.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from compiler.backends.onnx.builder import Nodes
    from compiler.backends.onnx.sheet import Sheet
    from compiler.importers.lazy import Array

WIDEST: Final = 64
"""128 would take twice the time to gain a tenth of the error."""

LEAST: Final = 16
"""Fewer neighbours gain too little to be worth the nodes: of a width that 16 does not divide, such
as 66, an outlier of 40 times the others costs a product 0.036 of its size, and 0.011 at 96."""

PRIME: Final = 67
"""Signs are Legendre symbols of 1, 2 … modulo this: 1 for squares."""


def width(inputs: int) -> int:
    """How many neighbours of so many channels are mixed, a power of two; 1 where none are."""
    found = min(WIDEST, inputs & -inputs)
    return found if found >= LEAST else 1


def signs(block: int) -> tuple[int, ...]:
    """The sign of each row of a block."""
    return tuple(1 if pow(row, PRIME // 2, PRIME) == 1 else -1 for row in range(1, block + 1))


def spread_rows(rows: "Array") -> "Array":
    """Rows [O, I] of a matrix times R, by sums and differences: the same on every machine."""
    import numpy as np

    block = width(rows.shape[1])
    if block == 1:
        return rows
    found = rows.reshape(-1, block) * np.array(signs(block), np.float32)
    step = 1
    while step < block:
        pairs = found.reshape(-1, 2, step)
        low, high = pairs[:, 0], pairs[:, 1]
        found = np.stack([low + high, low - high], axis=1)
        step *= 2
    scaled: Array = found.reshape(rows.shape) * np.float32(block**-0.5)
    return scaled


def spread(b: "Nodes", sheet: "Sheet", x: str, inputs: int) -> str:
    """The nodes of x [..., I] times R."""
    block = width(inputs)
    if block == 1:
        return x
    name = f"hadamard({block})"
    if name not in sheet.listing.constants:
        sheet.matrix(name, block, _numbers(block))
    rows = b.op("MatMul", b.op("Reshape", x, b.ints(-1, block)), name)
    made: str = b.op("Reshape", rows, b.op("Shape", x))
    return made


def _numbers(block: int) -> list[float]:
    """Sylvester's matrix with signs, row by row."""
    size = block**-0.5
    return [
        sign * (-size if (row & column).bit_count() % 2 else size)
        for row, sign in enumerate(signs(block))
        for column in range(block)
    ]
