"""The bar says which weight is how dark: by the same rule that the maps are coloured by."""

import re
from xml.etree import ElementTree

import numpy as np

from compiler.report.colour_scale import WIDE, colour_scale
from compiler.report.heat_map import levels
from compiler.report.raster import colour

SVG = "{http://www.w3.org/2000/svg}"


def test_a_mark_stands_where_the_map_has_the_colour_of_its_weight() -> None:
    root = ElementTree.fromstring(colour_scale())
    stripes = [
        (float(each.attrib["x"]), float(each.attrib["width"]), *rgb(each.attrib["fill"]))
        for each in root.iter(f"{SVG}rect")
        if each.attrib["fill"] != "none"
    ]
    marks = {each.text: float(each.attrib["x"]) for each in root.iter(f"{SVG}text")}
    assert sum(width for _, width, *_ in stripes) == WIDE
    weights = {"0": 0.0, "a tenth": 0.1, "a quarter": 0.25, "half": 0.5, "largest": 1.0}
    assert marks.keys() == weights.keys()
    for words, weight in weights.items():
        level = int(levels(np.array([weight, 1.0]))[0])
        shown = next(c for x, w, *c in stripes if x <= min(marks[words], WIDE - 1) < x + w)
        assert np.abs(np.subtract(shown, colour(level))).max() <= 6, words


def rgb(fill: str) -> tuple[int, int, int]:
    red, green, blue = map(int, re.findall(r"\d+", fill))
    return red, green, blue


def test_levels_grow_with_the_root() -> None:
    assert levels(np.array([0.0, 0.01, 0.25, 1.0])).tolist() == [0, 26, 128, 255]
    assert levels(np.array([0.0, 0.0])).tolist() == [0, 0]
