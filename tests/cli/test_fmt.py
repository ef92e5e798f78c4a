"""`archc fmt` changes files only when asked to, and keeps every comment."""

import json
from pathlib import Path

import pytest

from archspec.format import format_text
from compiler.cli.starting import template_text
from tests.cli.conftest import Archc

TIDY = format_text(template_text("decoder").replace("NAME", "tiny"))
UNTIDY = TIDY.replace("vocab: 32000,", "vocab:   32000,")


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tidy.yaml").write_text(TIDY)
    Path("untidy.yaml").write_text(UNTIDY)
    assert TIDY != UNTIDY


def test_writes_only_what_changes(archc: Archc) -> None:
    before = Path("tidy.yaml").stat().st_mtime_ns
    said = archc("fmt", ".")
    assert (said.code, said.out, said.err) == (0, "", "formatted untidy.yaml\n")
    assert Path("untidy.yaml").read_text() == TIDY
    assert Path("tidy.yaml").stat().st_mtime_ns == before
    assert sorted(path.name for path in Path().iterdir()) == ["tidy.yaml", "untidy.yaml"]


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_looking_writes_nothing(option: str, archc: Archc) -> None:
    said = archc("fmt", option, "tidy.yaml", "untidy.yaml")
    assert said.code == 1
    assert Path("untidy.yaml").read_text() == UNTIDY
    assert archc("fmt", option, "tidy.yaml").code == 0


def test_a_difference_is_a_patch(archc: Archc) -> None:
    out = archc("fmt", "--diff", "untidy.yaml").out
    assert out.startswith("--- untidy.yaml\n+++ untidy.yaml\n@@")
    assert "\n-dims: {vocab:   32000" in out
    assert "\n+dims: {vocab: 32000" in out


def test_a_stream_goes_through(archc: Archc) -> None:
    said = archc("fmt", "-", stdin=UNTIDY)
    assert (said.code, said.out, said.err) == (0, TIDY, "")


def test_a_file_that_is_no_yaml_stays_and_the_others_are_done(archc: Archc) -> None:
    Path("bad.yaml").write_text("graph: [")
    said = archc("fmt", "bad.yaml", "untidy.yaml")
    assert said.code == 1
    assert "error[AR00" in said.err
    assert Path("bad.yaml").read_text() == "graph: ["
    assert Path("untidy.yaml").read_text() == TIDY


def test_a_binary_file_is_a_no(archc: Archc) -> None:
    Path("bad.yaml").write_bytes(b"\xff\xfe\x00")
    said = archc("fmt", "bad.yaml")
    assert said.code == 1
    assert "error[AR00" in said.err


def test_json_lists_what_changed(archc: Archc) -> None:
    document = json.loads(archc("fmt", "--check", "--json", ".").out)
    assert (document["ok"], document["changed"], document["written"]) == (
        False,
        ["untidy.yaml"],
        False,
    )
