"""A `build/` that archc makes is left alone by version control; another one is as it was."""

from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.pipeline import build
from compiler.pipeline.unversioned import unversioned

IGNORE = Path("build", ".gitignore")


def test_a_folder_that_is_made_ignores_all_of_itself(decoder: Path) -> None:
    build(str(decoder), weights="none")
    assert IGNORE.read_text() == "*\n"
    assert not list(Path("generated").rglob(".gitignore"))
    IGNORE.unlink()
    build(str(decoder), weights="none")
    assert not IGNORE.exists()


def test_what_is_there_stays(decoder: Path) -> None:
    IGNORE.parent.mkdir()
    IGNORE.write_text("*.onnx\n")
    build(str(decoder), weights="none")
    assert IGNORE.read_text() == "*.onnx\n"


def test_a_place_of_one_s_own_gets_none(decoder: Path, tmp_path: Path) -> None:
    build(str(decoder), weights="none", out=str(tmp_path / "out"))
    assert not list((tmp_path / "out").rglob(".gitignore"))


def test_what_fails_makes_none(tmp_path: Path) -> None:
    root = tmp_path / "build"
    with pytest.raises(CannotAnswer), unversioned(root):
        raise CannotAnswer("the disk is full")
    assert not root.exists()
    with unversioned(root):
        root.mkdir()
        (root / ".gitignore").write_text("of another build")
    assert (root / ".gitignore").read_text() == "of another build"
