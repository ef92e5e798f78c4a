"""The layout of the SVG: nothing overlaps, wires go down and end where they should."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations

import pytest

from compiler.backends.view.columns import Link, columns
from compiler.backends.view.drawing import draw
from compiler.backends.view.framing import framed
from compiler.backends.view.layering import Item
from compiler.backends.view.picture import TIMES
from compiler.backends.view.placing import Layout, Placed, layout
from tests.backends.view.pictures import EVERY, program, small

SVG = "{http://www.w3.org/2000/svg}"


def layouts(found: Layout) -> Iterator[Layout]:
    yield found
    for placed in found.placed:
        if placed.inside is not None:
            yield from layouts(placed.inside)


def apart(one: Placed, other: Placed) -> bool:
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


@pytest.mark.parametrize("name", EVERY)
def test_no_two_parts_overlap_and_all_are_inside(name: str) -> None:
    for found in layouts(layout(framed(program(name)))):
        for one, other in combinations(found.placed, 2):
            assert apart(one, other), (one.part.id, other.part.id)
        for placed in found.placed:
            assert placed.x >= 0 and placed.x + placed.width <= found.width
            assert placed.y >= 0 and placed.y + placed.height <= found.height


@pytest.mark.parametrize("name", EVERY)
def test_wires_go_down_from_their_source_to_their_target(name: str) -> None:
    for found in layouts(layout(framed(program(name)))):
        at = {placed.part.id: placed for placed in found.placed}
        for way in found.ways:
            source, target = at[way.wire.source.part], at[way.wire.target]
            first, last = way.points[0], way.points[-1]
            heights = [point.y for point in way.points]
            assert heights == sorted(heights)
            assert first.y == source.y + source.height and last.y == target.y
            assert source.x <= first.x <= source.x + source.width
            assert target.x <= last.x <= target.x + target.width


@pytest.mark.parametrize("name", EVERY)
def test_no_wire_crosses_a_part_that_it_passes(name: str) -> None:
    """Where a wire is straight, it keeps clear of every part of its frame."""
    for found in layouts(layout(framed(program(name)))):
        for way in found.ways:
            for above, below in zip(way.points, way.points[1:], strict=False):
                for placed in found.placed:
                    if above.x != below.x or placed.part.id in (
                        way.wire.source.part,
                        way.wire.target,
                    ):
                        continue
                    beside = above.x <= placed.x or above.x >= placed.x + placed.width
                    assert beside or below.y <= placed.y or above.y >= placed.y + placed.height


def test_the_svg_has_a_box_a_part_and_a_path_a_wire() -> None:
    frame = framed(small())
    root = ET.fromstring(draw(small(), "svg"))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"ids", "tok", f"Embedding V {TIMES} D", "B T D"} <= set(words)
    frames = [r for r in root.iter(f"{SVG}rect") if r.get("class") == "frame"]
    assert len(frames) == len(list(frame.frames())) - 1
    wires = sum(len(f.wires) for f in frame.frames())
    arrows = [p for p in root.iter(f"{SVG}path") if p.get("marker-end")]
    assert len(arrows) == wires


def test_neighbours_keep_apart_and_lone_items_stand_below_each_other() -> None:
    rows: list[tuple[Item, ...]] = [("a",), ("b", "c"), ("d",)]
    links = [Link("a", "b", 0, 0), Link("a", "c", 0, 0), Link("b", "d", 0, 0), Link("c", "d", 0, 0)]
    widths: dict[Item, float] = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 10.0}
    x = columns(rows, links, widths, between=5)
    assert x["c"] - x["b"] >= 30
    assert x["a"] == pytest.approx((x["b"] + x["c"]) / 2)
    assert x["d"] == pytest.approx(x["a"])
    assert min(x[i] - widths[i] / 2 for i in widths) == pytest.approx(0)
