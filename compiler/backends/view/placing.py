"""A frame laid out on the plane, inner frames first: places, sizes and the ways of wires."""

from collections import defaultdict
from itertools import pairwise
from typing import Final

from archspec.source.frozen import Frozen
from compiler.backends.view.columns import Link, columns
from compiler.backends.view.layering import Bend, Item, Route, layering
from compiler.backends.view.picture import Box, Frame, Outlet, Part, Wire

LETTER: Final = 7.2
SMALL: Final = 6.1
"""Widths of a letter in a title and in the small print of notes and shapes."""
LINE: Final = 14.0
BETWEEN: Final = 20.0
ROW_GAP: Final = 30.0
MARGIN: Final = 14.0
HEADING: Final = 30.0
BEND: Final = 6.0


class Point(Frozen):
    """A place, from the left upper corner of the frame around it."""

    x: float
    y: float


class Placed(Frozen):
    """A part where it stands; a frame brings its inside."""

    part: Part
    x: float
    y: float
    width: float
    height: float
    inside: "Layout | None" = None


class Way(Frozen):
    """The points that a wire goes through; the first to leave an outlet carries its label."""

    wire: Wire
    points: tuple[Point, ...]
    labelled: bool


class Layout(Frozen):
    """A frame laid out; `entries` and `exits` are where wires cross its upper and lower border."""

    width: float
    height: float
    placed: tuple[Placed, ...]
    ways: tuple[Way, ...]
    entries: tuple[float, ...] = ()
    exits: tuple[float, ...] = ()


def layout(frame: Frame, heading: float = HEADING) -> Layout:
    """Lay out a frame; `heading` is the room for its title."""
    return _Plan(frame, heading).layout()


class _Plan:
    def __init__(self, frame: Frame, heading: float) -> None:
        self.frame = frame
        self.inner = {part.id: layout(part) for part in frame.parts if isinstance(part, Frame)}
        self.parts = {part.id: part for part in frame.parts}
        self.outlets = _outlets(frame)
        self.inlets: dict[str, list[int]] = defaultdict(list)
        for wire in frame.wires:
            self.inlets[wire.target].append(wire.slot)
        self.sizes = {part.id: self._size(part) for part in frame.parts}
        found = layering(frame)
        self.rows, self.routes = found.rows, found.routes
        widths = {item: self._width(item) for row in self.rows for item in row}
        links = [link for route in self.routes for link in self._links(route)]
        middle = columns(self.rows, links, widths, BETWEEN)
        self.x = {item: x + MARGIN for item, x in middle.items()}
        self._untangle()
        self.right = max((self.x[i] + widths[i] / 2 for i in widths), default=MARGIN)
        self.top: list[float] = []
        self.end: list[float] = []
        y = heading
        for row in self.rows:
            self.top.append(y)
            y += max(self._height(item) for item in row)
            self.end.append(y)
            y += ROW_GAP
        self.bottom = self.end[-1] if self.end else heading

    def _untangle(self) -> None:
        """Let wires arrive at a box in the order in which they come."""
        comes = {(r.wire.target, r.wire.slot): self.x[r.items[-2]] for r in self.routes}
        for target, slots in self.inlets.items():
            slots.sort(key=lambda slot: comes[target, slot])  # used before it changes

    def layout(self) -> Layout:
        placed = {part.id: self._placed(part) for part in self.frame.parts}
        seen: set[Outlet] = set()
        ways = []
        for route in self.routes:
            ways.append(Way(route.wire, self._way(route, placed), route.wire.source not in seen))
            seen.add(route.wire.source)
        exits = tuple(self.x[out.part] + self._leaves(out) for out in self.frame.outputs)
        heads = len(self.frame.heading) * LETTER + 2 * MARGIN
        return Layout(
            max(self.right + MARGIN, heads),
            self.bottom + MARGIN,
            tuple(placed.values()),
            tuple(ways),
            tuple(self.x[port] for port in self.frame.ports),
            exits,
        )

    def _placed(self, part: Part) -> Placed:
        width, height = self.sizes[part.id]
        row = next(k for k, items in enumerate(self.rows) if part.id in items)
        x = self.x[part.id] - width / 2
        return Placed(part, x, self.top[row], width, height, self.inner.get(part.id))

    def _way(self, route: Route, placed: dict[str, Placed]) -> tuple[Point, ...]:
        wire = route.wire
        start, goal = placed[wire.source.part], placed[wire.target]
        x = self.x[wire.source.part] + self._leaves(wire.source)
        row = next(k for k, items in enumerate(self.rows) if wire.source.part in items)
        points = [Point(x, start.y + start.height), Point(x, self.end[row])]
        for item in route.items[1:-1]:
            assert isinstance(item, Bend)
            points += [
                Point(self.x[item], self.top[item.row]),
                Point(self.x[item], self.end[item.row]),
            ]
        points.append(Point(self.x[wire.target] + self._arrives(wire), goal.y))
        return tuple(points)

    def _links(self, route: Route) -> list[Link]:
        ends = route.items[0], route.items[-1]
        return [
            Link(
                above,
                below,
                self._leaves(route.wire.source) if above is ends[0] else 0.0,
                self._arrives(route.wire) if below is ends[1] else 0.0,
            )
            for above, below in pairwise(route.items)
        ]

    def _leaves(self, outlet: Outlet) -> float:
        """Where a value leaves its part, from the part's middle."""
        width = self.sizes[outlet.part][0]
        inside = self.inner.get(outlet.part)
        if inside is not None:
            return inside.exits[outlet.port] - width / 2
        count = self.outlets[outlet.part]
        return width * ((outlet.port + 0.5) / count - 0.5)

    def _arrives(self, wire: Wire) -> float:
        """Where a wire arrives at its part, from the part's middle."""
        width = self.sizes[wire.target][0]
        inside = self.inner.get(wire.target)
        if inside is not None:
            return inside.entries[wire.slot] - width / 2
        slots = self.inlets[wire.target]
        return width * ((slots.index(wire.slot) + 1) / (len(slots) + 1) - 0.5)

    def _size(self, part: Part) -> tuple[float, float]:
        if isinstance(part, Frame):
            inside = self.inner[part.id]
            return inside.width, inside.height
        shown = max(len(part.title) * LETTER, len(part.note) * SMALL)
        labels = max(
            (len(wire.label) for wire in self.frame.wires if wire.source.part == part.id), default=0
        )
        outlets = self.outlets[part.id]
        spread = outlets * (labels * SMALL + LINE) if outlets > 1 else 0.0
        lines = 2 if part.note else 1
        return max(shown + 20.0, spread, 26.0), lines * LINE + 8.0

    def _width(self, item: Item) -> float:
        return self.sizes[item][0] if isinstance(item, str) else BEND

    def _height(self, item: Item) -> float:
        return self.sizes[item][1] if isinstance(item, str) else 0.0


def _outlets(frame: Frame) -> dict[str, int]:
    """How many outputs of each box are read or leave the frame."""
    count = {part.id: 1 for part in frame.parts if isinstance(part, Box)}
    used = [*(wire.source for wire in frame.wires), *frame.outputs]
    for outlet in used:
        if outlet.part in count:
            count[outlet.part] = max(count[outlet.part], outlet.port + 1)
    return count
