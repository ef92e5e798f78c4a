"""Pixels of a page are decoded again by hand, and large maps are pictures."""

import re
import struct
import zlib
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np

from compiler.report.attention_map import Attended, AttentionMap, Patches
from compiler.report.attention_page import attention_page
from compiler.report.heat_map import CELLS, heat_map
from compiler.report.patch_map import patch_map
from compiler.report.raster import colour, levels_png, photo_png

SVG = "{http://www.w3.org/2000/svg}"


def decoded(address: str) -> tuple[int, int, bytes]:
    """Width, height and the filtered samples of a PNG; every checksum is held against its chunk."""
    png = b64decode(address.removeprefix("data:image/png;base64,"))
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        name, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", png, at + 8 + size) == (zlib.crc32(name + content),)
        chunks[name] = content
        at += 12 + size
    assert list(chunks)[-1] == b"IEND"
    wide, high = struct.unpack_from(">II", chunks[b"IHDR"])
    return wide, high, zlib.decompress(chunks[b"IDAT"])


def test_levels_are_the_pixels() -> None:
    levels = np.array([[0, 7, 255], [3, 2, 1]], np.uint8)
    assert decoded(levels_png(levels)) == (3, 2, bytes([0, 0, 7, 255, 0, 3, 2, 1]))
    assert colour(0) == (255, 255, 255)
    assert colour(255) == (8, 48, 107)


def test_a_photo_is_stretched_and_has_its_channels_last() -> None:
    pixels = np.array([[[-1.0, 1.0]], [[1.0, -1.0]], [[-1.0, -1.0]]])
    assert decoded(photo_png(pixels)) == (2, 1, bytes([0, 0, 255, 0, 255, 0, 0]))
    grey = np.array([[[0.0, 1.0]]])
    assert decoded(photo_png(grey)) == (2, 1, bytes([0, 0, 0, 0, 255, 255, 255]))


def test_a_large_map_is_a_picture_with_few_labels() -> None:
    side = 40
    assert side * side > CELLS
    names = [str(i) for i in range(side * 5)]
    weights = np.eye(side * 5, dtype="f4")
    root = ElementTree.fromstring(heat_map("x", weights, names, names))
    (image,) = root.iter(f"{SVG}image")
    wide, high, samples = decoded(image.attrib["href"])
    assert (wide, high) == (side * 5, side * 5)
    assert samples.count(255) == side * 5
    assert len(list(root.iter(f"{SVG}text"))) <= 2 * 48


def test_the_veil_is_thinnest_over_the_largest_weight() -> None:
    patches = Patches(np.zeros((3, 4, 4)), 2, 2, 1)
    weights = np.array([0.5, 0.1, 0.2, 0.0, 0.2])
    root = ElementTree.fromstring(patch_map("x", weights, patches))
    veils = [float(each.attrib["fill-opacity"]) for each in root.iter(f"{SVG}rect")]
    assert veils[1] == veils[3] == 0
    assert veils[2] == max(veils)
    assert abs(veils[0] - 0.85 / 2) < 0.006


def test_names_of_places_are_text_and_empty_maps_are_shown() -> None:
    empty = AttentionMap("<x>&\x07", np.zeros((1, 2, 1), "f4"), (0,), ("a", "b"), ("c",))
    page = attention_page(Attended("n<", (empty,), 0.0))
    heading = next(each for each in ElementTree.fromstring(page).iter() if each.tag.endswith("h2"))
    assert heading.text == "<x>&\\x07"
    assert "largest weight 0" in page
    assert set(re.findall(r'fill="(#\w+)"', page)) == {"#ffffff"}


def test_places_are_listed_with_what_their_rows_and_columns_are() -> None:
    weights = np.full((1, 2, 2), 0.5, "f4")
    maps = [
        AttentionMap(place, weights, (0,), ("a", "b"), ("c", "d"), rows, "src_ids")
        for place, rows in (("memory.0.self", "src_ids"), ("dec.0.cross", "tgt_ids"))
    ]
    root = ElementTree.fromstring(attention_page(Attended("n", tuple(maps), 0.0)))
    links = {each.attrib["href"]: each.text for each in root.iter() if each.tag.endswith("}a")}
    for section in root.iter("{http://www.w3.org/1999/xhtml}section"):
        heading, axes = section[0].text, section[1].text
        assert links.pop(f"#{section.attrib['id']}") == heading
        rows = "tgt_ids" if heading == "dec.0.cross" else "src_ids"
        assert axes == f"Rows: {rows}. Columns: src_ids."
    assert not links
