"""The rest of an axis, as ONNX's `Slice` takes it."""

from typing import Any, Final

from compiler.ir.rules import Builder

END: Final = 2**31 - 1
"""Behind the last position of any axis: where a `Slice` ends that takes all the rest."""


def rest(b: Builder, x: Any, start: int, axis: int) -> Any:
    """What lies along an axis from the position `start` on, which from the end counts below 0."""
    return b.op("Slice", x, b.ints(start), b.ints(END), b.ints(axis))
