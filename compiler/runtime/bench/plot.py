"""What was timed as an SVG: times over lengths, the spread of each, and what they are against."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.report.device.figures import duration

SHOWN: Final = ("forward", "prefill", "decode")
LETTERS: Final = {"batch": "B", "length": "T"}
WIDE, HIGH, LEFT, RIGHT, TOP, FOOT = 400, 300, 64, 20, 34, 40
LINE: Final = 18
MARKS: Final = (1, 2, 5)
COLOURS: Final = ("#1f77b4", "#d1600a", "#2a8a3e", "#b4262c", "#7a52b3", "#80604d")
STYLE: Final = """
svg{background:#fbfaf7;font:12px system-ui,sans-serif;fill:#22262b}
.grid{stroke:#d8d4c8;fill:none}.least{stroke-dasharray:4 4;fill:none}
.middle{fill:none;stroke-width:2}
@media(prefers-color-scheme:dark){svg{background:#15181c;fill:#e6e4df}.grid{stroke:#3a4048}}
"""


class Panel(Frozen):
    """One thing timed: its times over the sizes along the lower axis, both axes by powers.

    Attributes:
        sizes: what stands along the lower axis.
        span: the powers of ten of seconds at the lower and the upper end.
    """

    sizes: tuple[int, ...]
    span: tuple[float, float]

    def x(self, size: int) -> float:
        """Where a size lies; a single one in the middle."""
        low, high = math.log(self.sizes[0]), math.log(self.sizes[-1])
        part = (math.log(size) - low) / (high - low) if high > low else 0.5
        return round(LEFT + 12 + part * (WIDE - LEFT - RIGHT - 24), 1)

    def y(self, seconds: float) -> float:
        """Where a time lies."""
        low, high = self.span
        part = (math.log10(seconds) - low) / (high - low)
        return round(HIGH - FOOT - part * (HIGH - FOOT - TOP), 1)

    def marks(self) -> list[float]:
        """Round times between the ends."""
        low, high = self.span
        powers = range(math.floor(low), math.ceil(high) + 1)
        every = [mark * 10.0**power for power in powers for mark in MARKS]
        return [each for each in every if low <= math.log10(each) <= high]


def plot(points: Sequence[dict[str, Any]]) -> str:
    """Points of `archc bench` as one SVG; over lengths where there are several, else batches.

    A dot is the time in the middle, its bar reaches to the 90th percentile, and the broken line is
    the roofline of the machine. A point that has no length stands over its batch.
    """
    lengths = {point["length"] for point in points}
    along, other = ("length", "batch") if len(lengths) > 1 else ("batch", "length")
    lines = list(dict.fromkeys((point["build"], point[other]) for point in points))
    parts = [name for name in SHOWN if any(name in point for point in points)]
    wide, high = len(parts) * WIDE, HIGH + LINE * len(lines) + 12
    inside = [
        text
        for number, name in enumerate(parts)
        for text in (
            f'<g transform="translate({number * WIDE},0)">',
            *_panel(name, along, other, lines, [point for point in points if name in point]),
            "</g>",
        )
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
            f'width="{wide}" height="{high}" role="img">',
            "<title>Times measured by archc bench</title>",
            f"<style>{STYLE}</style>",
            *inside,
            *_legend(other, lines),
            "</svg>\n",
        ]
    )


def _panel(
    name: str,
    along: str,
    other: str,
    lines: Sequence[tuple[str, int | None]],
    points: Sequence[dict[str, Any]],
) -> Iterator[str]:
    timed = [point[name] for point in points]
    ends = [each["p90_seconds"] for each in timed] + [each["p50_seconds"] for each in timed]
    ends += [each["least_seconds"] for each in timed if each["least_seconds"]]
    low, high = math.log10(min(ends)) - 0.1, math.log10(max(ends)) + 0.1
    panel = Panel(tuple(sorted({point[along] for point in points})), (low, high))
    yield f'<text x="{LEFT}" y="20" font-weight="600">{name}</text>'
    for mark in panel.marks():
        yield f'<path class="grid" d="M{LEFT} {panel.y(mark)}H{WIDE - RIGHT}"/>'
        at = f'x="{LEFT - 6}" y="{panel.y(mark) + 4}"'
        yield f'<text {at} text-anchor="end">{duration(mark)}</text>'
    for size in panel.sizes:
        at = f'x="{panel.x(size)}" y="{HIGH - FOOT + 18}"'
        yield f'<text {at} text-anchor="middle">{LETTERS[along]}={size}</text>'
    for number, line in enumerate(lines):
        mine = [point for point in points if (point["build"], point[other]) == line]
        mine.sort(key=lambda point: point[along])
        yield from _line(panel, name, along, COLOURS[number % len(COLOURS)], mine)


def _line(
    panel: Panel, name: str, along: str, colour: str, points: Sequence[dict[str, Any]]
) -> Iterator[str]:
    for style, which in (("least", "least_seconds"), ("middle", "p50_seconds")):
        places = [(panel.x(p[along]), panel.y(p[name][which])) for p in points if p[name][which]]
        if len(places) == 1 and style == "least":
            ((x, y),) = places
            places = [(x - 9, y), (x + 9, y)]
        if places:
            path = "L".join(f"{x:g} {y:g}" for x, y in places)
            yield f'<path class="{style}" stroke="{colour}" d="M{path}"/>'
    for point in points:
        x = panel.x(point[along])
        middle, upper = (panel.y(point[name][f"p{each}_seconds"]) for each in (50, 90))
        yield f'<path stroke="{colour}" d="M{x} {middle}V{upper}M{x - 4} {upper}h8"/>'
        yield f'<circle cx="{x}" cy="{middle}" r="4" fill="{colour}"/>'


def _legend(other: str, lines: Sequence[tuple[str, int | None]]) -> Iterator[str]:
    for number, (build, size) in enumerate(lines):
        y = HIGH + LINE * number
        words = build if size is None else f"{build}, {LETTERS[other]}={size}"
        colour = COLOURS[number % len(COLOURS)]
        yield f'<path class="middle" stroke="{colour}" d="M{LEFT} {y}h24"/>'
        yield f'<text x="{LEFT + 32}" y="{y + 4}">{escape(words)}</text>'
