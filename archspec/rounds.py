"""The layers of a stack as a few words: those that come round, and the stretches that differ."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from archspec.source.frozen import Frozen

LONGEST: Final = 24
"""Layers of the longest round that is looked for where others stand between."""

Run: TypeAlias = tuple[int, int, int]
"""A stretch of equal layers: start, end, kind."""


class Told(Frozen):
    """Kinds that come round, `(0,)` where none do, and the stretches that are of another kind."""

    cycle: tuple[int, ...]
    at: tuple[Run, ...] = ()

    @property
    def written(self) -> int:
        """How many layers must be spelled out besides the first kind."""
        return len(self.at) + sum(kind != 0 for kind in self.cycle)


def told(order: Sequence[int], longest: int = LONGEST) -> Told:
    """What comes round exactly, else the way to tell the kinds of all layers that is shortest.

    A round with others between has `longest` layers at most.
    """
    if round_ := period(order):
        return Told(tuple(order[:round_]))
    cycles = (_commonest(order, n) for n in range(2, min(len(order) // 2, longest) + 1))
    ways = (Told(cycle, tuple(runs(order, cycle))) for cycle in ((0,), *cycles))
    return min(ways, key=lambda way: way.written)


def period(order: Sequence[int]) -> int:
    """How many layers come round again and again, at least twice; 0 where none do."""
    lengths = range(1, len(order) // 2 + 1)
    rounds = (n for n in lengths if all(kind == order[i % n] for i, kind in enumerate(order)))
    return next(rounds, 0)


def runs(order: Sequence[int], cycle: Sequence[int] = (0,)) -> Iterator[Run]:
    """The stretches of equal kinds that a cycle does not have there."""
    start = 0
    differs = [kind != cycle[i % len(cycle)] for i, kind in enumerate(order)]
    for i in range(1, len(order) + 1):
        if i < len(order) and (order[i], differs[i]) == (order[start], differs[start]):
            continue
        if differs[start]:
            yield start, i, order[start]
        start = i


def _commonest(order: Sequence[int], length: int) -> tuple[int, ...]:
    """The kind that is most often at each place of a round."""
    return tuple(Counter(order[i::length]).most_common(1)[0][0] for i in range(length))
