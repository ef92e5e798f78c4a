"""`archc graph`: three languages, folded or not."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.conftest import Archc


def test_svg_is_xml(tiny: Path, archc: Archc) -> None:
    said = archc("graph", str(tiny))
    assert (said.code, said.err) == (0, "")
    assert ET.fromstring(said.out).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(("format", "start"), [("mermaid", "flowchart"), ("dot", "digraph")])
def test_text_languages(format: str, start: str, tiny: Path, archc: Archc) -> None:
    folded = archc("graph", str(tiny), "--format", format)
    assert folded.code == 0
    assert start in folded.out
    expanded = archc("graph", str(tiny), "--format", format, "--expand")
    assert len(expanded.out) > len(folded.out)


def test_to_a_file(tiny: Path, archc: Archc) -> None:
    said = archc("graph", str(tiny), "--format", "dot", "--out", "tiny.dot")
    assert (said.code, said.out) == (0, "")
    assert Path("tiny.dot").read_text() == archc("graph", str(tiny), "--format", "dot").out


def test_json_holds_the_drawing(tiny: Path, archc: Archc) -> None:
    document = json.loads(archc("graph", str(tiny), "--format", "dot", "--json").out)
    assert (document["format"], document["expanded"]) == ("dot", False)
    assert "digraph" in document["text"]


def test_a_place_that_cannot_be_written_is_no_answer(tiny: Path, archc: Archc) -> None:
    assert archc("graph", str(tiny), "--out", "no/such/folder/x.svg").code == 2
