"""Rows that are given one by one, in batches that a model takes at once."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from compiler.runtime.kept import Array

    Rows: TypeAlias = Sequence[Array] | Array

MOST: Final = 32
"""Rows of a batch; more of them take more memory and hardly less time."""


class Batch(Frozen):
    """Some rows, by their numbers among all, and what the model is given for them."""

    rows: tuple[int, ...]
    given: "Mapping[str, Array]"


def batches(session: Session, given: "Mapping[str, Rows]", most: int = MOST) -> Iterator[Batch]:
    """Every row of each input, without the axis of rows, in batches of at most `most`.

    An input with one row is the same for all. Rows of ids are padded where the model then gives
    what it gives for each by itself; else rows of one length go together. Raises `CannotAnswer`
    where inputs have different numbers of rows.
    """
    count = _count(session, given)
    if count is None:
        yield Batch((), {name: _stacked(name, rows) for name, rows in given.items()})
        return
    groups: dict[tuple[int, ...], list[int]] = {}
    fixed = [name for name in given if not _pads(session, name)]
    for number in range(count):
        sizes = tuple(size for name in fixed for size in _row(given[name], number).shape)
        groups.setdefault(sizes, []).append(number)
    for together in groups.values():
        for start in range(0, len(together), most):
            some = together[start : start + most]
            yield Batch(tuple(some), _padded(session, given, some))


def one_batch(session: Session, given: "Mapping[str, Rows]") -> "Mapping[str, Array]":
    """What the model is given for all rows at once; raises `CannotAnswer` where it cannot be."""
    first, *others = batches(session, given, sys.maxsize)
    if others:
        raise CannotAnswer(
            "rows of different lengths need a mask that the model does not take",
            "give them one at a time",
        )
    return first.given


def _count(session: Session, given: "Mapping[str, Rows]") -> int | None:
    """How many rows there are; None where there are none and where they are of several kinds."""
    kinds = {session.inputs[name][:1] for name in given if name in session.inputs}
    if len(kinds) > 1 or not all(len(rows) for rows in given.values()):
        return None
    counts = {name: len(rows) for name, rows in given.items() if len(rows) > 1}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"`{name}` {count}" for name, count in counts.items())
        raise CannotAnswer(f"inputs have different numbers of rows: {said}")
    return next(iter(counts.values()), 1)


def _pads(session: Session, name: str) -> bool:
    """Whether padded rows come to what they are alone: a mask is there, and a cache knows where
    each of them ends."""
    return f"{name}_mask" in session.inputs and (session.shares or not _cached(session, name))


def _cached(session: Session, name: str) -> bool:
    """Whether an input is what a decoder with a cache reads, and no source."""
    return bool(session.past) and name not in session.source


def _row(rows: "Rows", number: int) -> "Array":
    return rows[number if len(rows) > 1 else 0]


def _padded(
    session: Session, given: "Mapping[str, Rows]", numbers: Sequence[int]
) -> "dict[str, Array]":
    """Arrays with an axis of rows; what a decoder continues ends together, all else begins so."""
    import numpy as np

    found: dict[str, Array] = {}
    for name, rows in given.items():
        some = [_row(rows, number) for number in numbers]
        lengths = [len(each) for each in some] if some[0].ndim else []
        if len(set(lengths)) > 1:
            longest, left = max(lengths), _cached(session, name)
            sides = [((longest - n) * left, (longest - n) * (not left)) for n in lengths]
            ends = [[side, *[(0, 0)] * (some[0].ndim - 1)] for side in sides]
            real = [np.pad(np.ones(n, bool), s) for n, s in zip(lengths, sides, strict=True)]
            found[f"{name}_mask"] = np.stack(real)
            some = [np.pad(each, end) for each, end in zip(some, ends, strict=True)]
        found[name] = _stacked(name, some)
    return found


def _stacked(name: str, rows: "Rows") -> "Array":
    import numpy as np

    if isinstance(rows, np.ndarray):
        return rows
    if len({each.shape for each in rows}) > 1:
        raise CannotAnswer(f"the rows of `{name}` have different shapes", "give them one at a time")
    return np.stack(rows)
