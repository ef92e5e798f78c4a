"""Drift: generated folders are held against their specs, and nothing that differs goes unseen."""

from pathlib import Path

import pytest

from archspec.source.diagnostic import SpecError
from compiler.pipeline import build, check_generated

FILES = ("cost.md", "graph.txt", "manifest.json", "model.py", "onnx.txt")


@pytest.fixture
def folder(decoder: Path) -> Path:
    """The freshly built folder of the decoder."""
    build(str(decoder), weights="none")
    return Path("generated/decoder/tiny")


def found(decoder: Path) -> dict[str, str]:
    return {Path(each.path).name: each.problem for each in check_generated([str(decoder)])}


def test_a_fresh_build_agrees(decoder: Path, folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == list(FILES)
    assert check_generated([str(decoder)]) == []


def test_without_a_build_everything_is_missing(decoder: Path) -> None:
    assert found(decoder) == dict.fromkeys(FILES, "is missing")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_gone_is_missing(decoder: Path, folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert found(decoder)[name] == "is missing"


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_edited_is_stale(decoder: Path, folder: Path, name: str) -> None:
    path = folder / name
    path.write_text(path.read_text(encoding="utf-8").replace("tiny", "huge", 1) + "\n")
    assert found(decoder)[name] == "is stale"


def test_a_spec_that_was_edited_makes_its_folder_stale(decoder: Path, folder: Path) -> None:
    decoder.write_text(decoder.read_text().replace("d_model: 16", "d_model: 32"))
    assert found(decoder) == dict.fromkeys(FILES, "is stale")


def test_a_comment_in_a_spec_changes_what_names_its_bytes(decoder: Path, folder: Path) -> None:
    decoder.write_text(decoder.read_text() + "# a comment\n")
    stale = found(decoder)
    assert "model.py" in stale
    assert "onnx.txt" not in stale


def test_the_difference_is_a_patch(decoder: Path, folder: Path) -> None:
    path = folder / "graph.txt"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("program tiny", "program other"))
    (drift,) = (d for d in check_generated([str(decoder)]) if d.path.endswith("graph.txt"))
    lines = drift.difference.splitlines()
    assert lines[0].endswith("graph.txt (there)")
    assert lines[1].endswith("graph.txt (compiled)")
    assert "-program other" in lines
    assert "+program tiny" in lines


def test_a_file_that_is_no_text_is_told_and_not_read(decoder: Path, folder: Path) -> None:
    (folder / "model.py").write_bytes(b"\xff\xfe\x00")
    assert "model.py" in found(decoder)


def test_notes_beside_the_outputs_are_nobodys_business(decoder: Path, folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    assert check_generated([str(decoder)]) == []


def test_several_specs_are_checked_in_order(decoder: Path, folder: Path) -> None:
    other = decoder.with_name("other.yaml")
    other.write_text(decoder.read_text())
    paths = {Path(each.path).parent.name for each in check_generated([str(decoder), str(other)])}
    assert paths == {"other"}


def test_a_spec_with_an_error_is_an_error(decoder: Path, folder: Path) -> None:
    decoder.write_text("name: [")
    with pytest.raises(SpecError):
        check_generated([str(decoder)])
