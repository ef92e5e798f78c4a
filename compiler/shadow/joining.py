"""Tensors put together, behind or beside each other."""

from collections.abc import Sequence
from typing import Any

from compiler.shadow.kinds import promoted
from compiler.shadow.tensor import Tensor, axis, made
from compiler.shadow.views import expand, flatten, narrow, select, sizes, unsqueeze


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors behind each other."""
    at = axis(tensors[0], dim)
    shape = list(tensors[0].shape)
    for more in tensors[1:]:
        shape[at] = shape[at] + more.shape[at]
    widths = [each.shape[at] for each in tensors]

    def back(g: Tensor) -> tuple[Tensor, ...]:
        return tuple(narrow(g, at, 0, width) for width in widths)

    return made(tensors[0].tape, shape, promoted(tuple(tensors)), tensors, back=back)


def joined(tensors: Sequence[Tensor]) -> Tensor:
    """Rows that loops have made, behind each other."""
    first = tensors[0]
    count, number = first.tape.gathered([each.storage for each in tensors]), len(tensors)
    rows = first.shape[0]

    def back(g: Tensor) -> tuple[Tensor, ...]:
        return tuple(narrow(g, 0, 0, rows) for _ in range(number))

    return made(first.tape, (count * rows, *first.shape[1:]), first.dtype, tensors, back=back)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors beside each other in a new dimension."""
    first = tensors[0]
    at = dim + len(first.shape) + 1 if dim < 0 else dim
    count = first.tape.gathered([each.storage for each in tensors])
    number = len(tensors)

    def back(g: Tensor) -> tuple[Tensor, ...]:
        return tuple(select(g, at) for _ in range(number))

    shape = (*first.shape[:at], count, *first.shape[at:])
    return made(first.tape, shape, first.dtype, tensors, back=back)


def repeat(x: Tensor, *times: Any) -> Tensor:
    """A tensor several times behind itself."""
    counts = sizes(times)
    old = (1,) * (len(counts) - len(x.shape)) + x.shape
    return made(x.tape, [a * b for a, b in zip(old, counts, strict=True)], x.dtype, (x,))


def repeat_interleave(x: Tensor, times: int, dim: int | None = None) -> Tensor:
    """Every place of a dimension several times."""
    at = axis(x, dim if dim is not None else 0)
    wide = expand(unsqueeze(x, at + 1), (*x.shape[: at + 1], times, *x.shape[at + 1 :]))
    copy = made(x.tape, wide.shape, x.dtype, (wide,), back=lambda g: g)
    return flatten(copy, at, at + 1)
