"""The drawing of times: well-formed, every point in its place, by the axes that it draws itself."""

import itertools
import math
from typing import Any
from xml.etree import ElementTree

import pytest

from compiler.runtime.bench.plot import HIGH, LEFT, WIDE, Panel, plot

SVG = "{http://www.w3.org/2000/svg}"


def point(build: str, batch: int, length: int | None, seconds: float) -> dict[str, Any]:
    part = {"p50_seconds": seconds, "p90_seconds": 1.5 * seconds, "least_seconds": seconds / 4}
    parts = ("forward",) if length is None else ("prefill", "time_to_first_token", "decode")
    return {"build": build, "batch": batch, "length": length, **dict.fromkeys(parts, part)}


def drawn(points: list[dict[str, Any]]) -> ElementTree.Element:
    return ElementTree.fromstring(plot(points))


def test_lengths_run_along_and_every_model_and_batch_is_a_line() -> None:
    every = [
        point(build, batch, length, batch * length * scale)
        for build, scale in (("a", 1e-3), ("<b>", 2e-3))
        for batch in (1, 2)
        for length in (8, 16, 32)
    ]
    found = drawn(every)
    words = [each.text for each in found.iter(f"{SVG}text")]
    assert [word for word in words if word in ("prefill", "decode")] == ["prefill", "decode"]
    assert words[-4:] == ["a, B=1", "a, B=2", "<b>, B=1", "<b>, B=2"]
    assert words.count("T=16") == 2
    dots = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in found.iter(f"{SVG}circle")]
    assert len(dots) == 2 * len(every)
    first = dots[:3]
    for axis in (0, 1):  # powers of two lie even
        steps = [after[axis] - before[axis] for before, after in itertools.pairwise(first)]
        assert steps[0] == pytest.approx(steps[1], abs=0.2)
    assert all(LEFT <= x <= WIDE and 0 <= y <= HIGH for x, y in dots)


def test_models_without_a_length_stand_over_their_batches() -> None:
    found = drawn([point("a", batch, None, batch * 0.01) for batch in (1, 4)])
    words = [each.text for each in found.iter(f"{SVG}text")]
    assert "forward" in words
    assert words[-1] == "a"
    assert {"B=1", "B=4"} <= set(words)


def test_a_time_at_the_lower_end_lies_at_the_lower_axis_and_marks_between() -> None:
    panel = Panel((128,), (math.log10(0.001), math.log10(0.1)))
    assert panel.y(0.001) > panel.y(0.01) > panel.y(0.1)
    assert panel.y(0.001) - panel.y(0.01) == panel.y(0.01) - panel.y(0.1)
    assert all(0.001 <= mark <= 0.1000001 for mark in panel.marks())
    assert len(panel.marks()) == 7
