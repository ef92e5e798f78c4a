"""Where elements lie: which reshapes are views, and how results are laid out."""

from collections.abc import Sequence
from typing import Any


def dense(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor whose last dimension is innermost."""
    found: list[int] = []
    step = 1
    for size in reversed(shape):
        found.append(step)
        step *= max(int(size), 1)
    return tuple(reversed(found))


def is_dense(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether elements lie one after the other in order."""
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= int(size)
    return True


def viewed(
    shape: Sequence[int], strides: Sequence[int], target: Sequence[int]
) -> tuple[int, ...] | None:
    """The strides of another shape over the same elements, or None where only a copy has it."""
    found: list[int] = [0] * len(target)
    at = len(target) - 1
    base = strides[-1] if strides else 1
    here, there = 1, 1
    for dim in range(len(shape) - 1, -1, -1):
        here *= int(shape[dim])
        if dim and (shape[dim - 1] == 1 or strides[dim - 1] == here * base):
            continue
        while at >= 0 and (there < here or target[at] == 1):
            found[at] = there * base
            there *= int(target[at])
            at -= 1
        if there != here:
            return None
        if dim:
            base = strides[dim - 1]
            here, there = 1, 1
    return tuple(found) if at == -1 else None


def laid_out(shape: Sequence[int], operands: Sequence[Any]) -> tuple[int, ...]:
    """The strides that torch gives the result of an elementwise operation: dimensions in the order
    of the operands' strides."""
    rank = len(shape)
    spread = [_spread(x, rank) for x in operands]
    if all(is_dense(x.shape, x.strides) and len(x.shape) == rank for x in operands):
        return dense(shape)
    order = list(reversed(range(rank)))
    for i in range(1, rank):
        at = i
        for j in range(i - 1, -1, -1):
            turn = _turn(order[j], order[at], shape, spread)
            if turn > 0:
                order[j], order[at] = order[at], order[j]
                at = j
            elif turn < 0:
                break
    found = [0] * rank
    step = 1
    for dim in order:
        found[dim] = step
        step *= int(shape[dim])
    return tuple(found)


def _spread(x: Any, rank: int) -> list[int]:
    ahead = rank - len(x.shape)
    pairs = zip(x.shape, x.strides, strict=True)
    return [0] * ahead + [0 if size == 1 else stride for size, stride in pairs]


def _turn(a: int, b: int, shape: Sequence[int], spread: list[list[int]]) -> int:
    for strides in spread:
        one, other = strides[a], strides[b]
        if one == 0 or other == 0:
            continue
        if one != other:
            return -1 if one < other else 1
        if shape[a] > shape[b]:
            return 1
    return 0
