"""The text of a build: which files, whence their lines, and the figures that their heads name."""

import re
from pathlib import Path

import pytest

import archspec
from compiler import __version__
from compiler.pipeline.passes import lowered
from compiler.pipeline.texts import KINDS, NAMES, origin, texts
from tests.lower.specs import decoder as small

MADE = {
    "torch": {"model.py", "graph.txt"},
    "onnx": {"onnx.txt"},
    "report": {"cost.md"},
}


@pytest.mark.parametrize("kinds", [(k,) for k in KINDS] + [KINDS, ("onnx", "report"), ()])
def test_only_what_is_asked_for_is_made(kinds: tuple[str, ...]) -> None:
    spec = archspec.load(small())
    found = texts(spec, lowered(spec), kinds)
    assert set(found) == {name for kind in kinds for name in MADE[kind]}


def test_only_source_has_marks_and_they_lead_into_the_spec(decoder: Path) -> None:
    spec = archspec.load(decoder)
    found = texts(spec, lowered(spec))
    assert tuple(found) == NAMES
    assert [name for name, text in found.items() if text.marks] == ["model.py"]
    lines = found["model.py"].content.split("\n")
    said = decoder.read_text(encoding="utf-8").split("\n")
    marks = found["model.py"].marks
    assert [mark.line for mark in marks] == sorted({mark.line for mark in marks})
    for mark in marks:
        assert mark.spec == "specs/decoder/tiny.yaml"
        assert lines[mark.line - 1].strip()
        assert said[mark.spec_line - 1].strip()
    for number, line in enumerate(lines, 1):
        if comment := re.search(r"^class .*# spec:(\d+)", line):
            own = [mark.spec_line for mark in marks if mark.line <= number][-1]
            assert own == int(comment[1])


def test_the_head_says_how_to_build_it_again(decoder: Path) -> None:
    spec = archspec.load(decoder, set=["n_layers=3", "name=a b"])
    head = texts(spec, lowered(spec))["model.py"].content
    assert "archc build specs/decoder/tiny.yaml --set n_layers=3 --set 'name=a b'" in head
    assert f"archc {__version__}" in head
    assert f"sha256:{spec.digest[:12]}" in head


def test_a_mapping_has_no_command() -> None:
    spec = archspec.load(small())
    head = texts(spec, lowered(spec))["model.py"].content
    assert "    spec     (a mapping)" in head
    assert re.search(r"    rebuild *$", head, re.M)


def test_the_origin_names_the_spec_by_its_place_and_its_bytes(decoder: Path) -> None:
    spec = archspec.load(decoder)
    found = origin(spec)
    assert found.spec == "specs/decoder/tiny.yaml"
    assert found.spec_sha256 == spec.digest
    assert found.versions == {"archc": __version__}


def test_the_cost_line_counts_what_the_report_counts() -> None:
    spec = archspec.load(small())
    head = texts(spec, lowered(spec), ["torch"])["model.py"].content
    (line,) = re.findall(r"^    cost     (.*)$", head, re.M)
    parameters = 50 * 16 + 3 * (4 * 16 * 16 + 2 * 16 * 24 + 2 * 16) + 16 + 50 * 16
    short = f"{parameters / 1000:.2f} k" if parameters < 10_000 else f"{parameters / 1000:.1f} k"
    assert line.startswith(f"{short} params")
    assert "192 B of KV per token in bfloat16" in line or f"{2 * 2 * 3 * 16} B" in line
