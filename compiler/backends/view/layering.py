"""Which row of a frame a part stands on, and in which order: wires go down and cross seldom."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from archspec.source.frozen import Frozen
from compiler.backends.view.picture import Frame, Outlet, Wire

SWEEPS: Final = 6


class Bend(Frozen):
    """Where a value passes a row on its way further down."""

    source: Outlet
    row: int


Item: TypeAlias = str | Bend
"""What stands on a row: a part, by its id, or a bend."""


class Route(Frozen):
    """A wire with all the items on its way, both ends included."""

    wire: Wire
    items: tuple[Item, ...]


class Layering(Frozen):
    """Rows from top to bottom, each in its order, and a route for every wire."""

    rows: tuple[tuple[Item, ...], ...]
    routes: tuple[Route, ...]


def layering(frame: Frame) -> Layering:
    """Rows and routes; a value that passes a row bends there once, however many read it."""
    row = _rows(frame)
    rows: list[dict[Item, None]] = [{} for _ in range(max(row.values(), default=-1) + 1)]
    for part in frame.parts:
        rows[row[part.id]][part.id] = None
    routes: list[Route] = []
    for wire in frame.wires:
        passed = range(row[wire.source.part] + 1, row[wire.target])
        bends = [Bend(wire.source, index) for index in passed]
        for bend in bends:
            rows[bend.row][bend] = None
        routes.append(Route(wire, (wire.source.part, *bends, wire.target)))
    return Layering(tuple(_ordered([list(items) for items in rows], routes)), tuple(routes))


def _rows(frame: Frame) -> dict[str, int]:
    """The longest way from above; a source other than a port stands just above its first reader."""
    into: dict[str, list[str]] = defaultdict(list)
    out: dict[str, list[str]] = defaultdict(list)
    for wire in frame.wires:
        into[wire.target].append(wire.source.part)
        out[wire.source.part].append(wire.target)
    row: dict[str, int] = {}
    for part in frame.parts:
        row[part.id] = max((row[above] + 1 for above in into[part.id]), default=0)
    for part in frame.parts:
        if not into[part.id] and out[part.id] and part.id not in frame.ports:
            row[part.id] = min(row[below] for below in out[part.id]) - 1
    return row


def _ordered(rows: list[list[Item]], routes: Sequence[Route]) -> list[tuple[Item, ...]]:
    """Each row sorted by the mean place of what it is wired to, down and up a few times."""
    above: dict[Item, list[Item]] = defaultdict(list)
    below: dict[Item, list[Item]] = defaultdict(list)
    for route in routes:
        for upper, lower in pairwise(route.items):
            above[lower].append(upper)
            below[upper].append(lower)
    for sweep in range(SWEEPS):
        wired, order = (above, rows) if sweep % 2 == 0 else (below, rows[::-1])
        for row in order:
            place = {item: float(k) for items in rows for k, item in enumerate(items)}
            wish = {item: _mean([place[w] for w in wired[item]], place[item]) for item in row}
            row.sort(key=wish.__getitem__)
    return [tuple(row) for row in rows]


def _mean(places: Sequence[float], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise
