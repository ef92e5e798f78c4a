"""The chapter's figures and picture are those of a run, and the page tells them."""

import json
import re
from xml.etree import ElementTree

from tests.learn.__main__ import picture
from tests.learn.generated import SPECS

TEXT = (SPECS / "learned.json").read_text(encoding="utf-8")
FOUND = json.loads(TEXT)


def test_the_picture_is_drawn_from_the_figures() -> None:
    assert picture(TEXT) == (SPECS / "learned.svg").read_text(encoding="utf-8")


def test_the_picture_is_svg_with_a_line_a_model() -> None:
    root = ElementTree.fromstring(picture(TEXT))
    lines = [each for each in root.iter() if each.tag.endswith("polyline")]
    assert len(lines) == 3
    assert {len(line.attrib["points"].split()) for line in lines} == {
        len(FOUND["reverse"]["fixed"]["exact"])
    }


def test_the_page_tells_the_figures() -> None:
    page = (SPECS / "README.md").read_text(encoding="utf-8")
    told = page[page.index("## It learns") :]
    for order in ("reverse", "reorder"):
        for kind, run in FOUND.get(order, {}).items():
            row = " | ".join(f"{share:.1%}" for share in run["exact"].values())
            assert row in told, (order, kind)
    assert f"{FOUND['digits']['accuracy']:.1%}" in told
    assert f"{FOUND['speech']['nats_per_letter_read']:.2f} nats" in told
    assert re.search(r"!\[[^]]+\]\(learned\.svg\)", told)
