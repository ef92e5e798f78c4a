"""A picture as SVG: laid out here, without Graphviz, readable in light and dark and on paper."""

from collections.abc import Iterator
from html import escape
from typing import Final

from compiler.backends.view.picture import Box, Frame
from compiler.backends.view.placing import MARGIN, Layout, Placed, Point, Way, layout

STYLE: Final = """
svg{--bg:#fbfaf7;--fg:#22262b;--mut:#6b7280;--card:#fff;--line:#b9b5a8;background:var(--bg)}
@media(prefers-color-scheme:dark){svg{--bg:#15181c;--fg:#e6e4df;--mut:#9aa3ad;--card:#1c2026;--line:#4a525c}}
rect{fill:var(--card);stroke:var(--line)}.frame{fill:none;stroke:var(--mut);stroke-dasharray:5 4}
.input,.output{stroke:var(--fg)}path{fill:none;stroke:var(--mut)}.maybe{stroke-dasharray:3 3}
marker path{fill:var(--mut);stroke:none}text{fill:var(--fg);font:600 12px system-ui,sans-serif}
.note,.shape{fill:var(--mut);font:10px ui-monospace,monospace}
.shape{paint-order:stroke;stroke:var(--bg);stroke-width:3px}.weights{fill:#1f5488;stroke:none}
.attention{fill:#9c4a17;stroke:none}.norm{fill:#9aa39a;stroke:none}.table{fill:#8fa3bf;stroke:none}
"""
STRIPES: Final = {
    "Linear": "weights",
    "SharedLinear": "weights",
    "Conv2d": "weights",
    "LatentAttention": "attention",
    "ScaledDotProductAttention": "attention",
    "BiasedAttention": "attention",
    "ExplicitAttention": "attention",
    "LayerNorm": "norm",
    "HeadNorm": "norm",
    "PerHeadNorm": "norm",
    "RmsNorm": "norm",
    "Embedding": "table",
    "LearnedPositions": "table",
    "TypeEmbedding": "table",
}
"""Colours beside the words, for the eye to find a kind again; the words say it alone."""


def svg(frame: Frame, *, styled: bool = True) -> str:
    """The frame as one SVG element; the title of the model is its accessible name.

    Without a style of its own it is for a page that has one.
    """
    found = layout(frame, heading=MARGIN)
    width, height = _number(found.width), _number(found.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{_words(frame.heading)}</title>",
        *([f"<style>{STYLE}</style>"] if styled else []),
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
        *_inside(found),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _inside(found: Layout) -> Iterator[str]:
    for placed in found.placed:
        yield from _part(placed)
    yield from (_way(way) for way in found.ways)
    yield from (_label(way) for way in found.ways if way.labelled and way.wire.label)


def _part(placed: Placed) -> Iterator[str]:
    part = placed.part
    x, y, width, height = map(_number, (placed.x, placed.y, placed.width, placed.height))
    yield f'<g transform="translate({x},{y})">'
    if isinstance(part, Box):
        yield from _box(part, width, height)
    else:
        assert placed.inside is not None
        yield f'<rect class="frame" width="{width}" height="{height}" rx="8"/>'
        yield f'<text x="{_number(MARGIN)}" y="18">{_words(part.heading)}</text>'
        yield from _inside(placed.inside)
    yield "</g>"


def _box(box: Box, width: str, height: str) -> Iterator[str]:
    round_ = "4" if box.kind == "operator" else "11"
    yield f'<rect class="{box.kind}" width="{width}" height="{height}" rx="{round_}"/>'
    if box.family in STRIPES:
        yield f'<rect class="{STRIPES[box.family]}" width="4" height="{height}" rx="2"/>'
    yield f'<text x="10" y="15">{_words(box.title)}</text>'
    key = f' data-load="{_words(box.key)}"' if box.key else ""
    if box.note:
        yield f'<text class="note" x="10" y="29"{key}>{_words(box.note)}</text>'
    if box.key:
        wide = _number(float(width) * box.share / 1000)
        top = _number(float(height) - 3)
        yield f'<rect class="load"{key} y="{top}" width="{wide}" height="3" data-of="{width}"/>'


def _way(way: Way) -> str:
    kind = ' class="maybe"' if way.wire.optional else ""
    return f'<path{kind} d="{_curve(way.points)}" marker-end="url(#arrow)"/>'


def _label(way: Way) -> str:
    x, y = _number(way.points[0].x + 5), _number(way.points[0].y + 12)
    return f'<text class="shape" x="{x}" y="{y}">{_words(way.wire.label)}</text>'


def _curve(points: tuple[Point, ...]) -> str:
    first, *rest = points
    pieces, at = [f"M{_number(first.x)} {_number(first.y)}"], first
    for point in rest:
        if abs(point.x - at.x) < 0.05:
            pieces.append(f"V{_number(point.y)}")
        else:
            middle = _number((at.y + point.y) / 2)
            ends = f"{_number(at.x)} {middle} {_number(point.x)} {middle}"
            pieces.append(f"C{ends} {_number(point.x)} {_number(point.y)}")
        at = point
    return "".join(pieces)


def _number(size: float) -> str:
    """One decimal, as short as it can be."""
    return f"{round(size, 1) + 0.0:.1f}".removesuffix(".0")


def _words(text: str) -> str:
    """Text as XML; characters that XML has no place for become blanks."""
    return escape("".join(c if c.isprintable() else " " for c in text))
