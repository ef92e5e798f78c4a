"""Files and folders on the command line."""

from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.sources import one_spec, spec_files


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("decoder/b.yaml", "decoder/a.yml", "broken/x.yaml", ".git/y.yaml", "notes.txt"):
        path = tmp_path / "specs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("name: x\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_is_walked_in_order_without_broken_ones(tree: Path) -> None:
    assert spec_files(["specs"]) == ["specs/decoder/a.yml", "specs/decoder/b.yaml"]


def test_a_named_file_is_taken_wherever_it_is_and_once(tree: Path) -> None:
    named = "specs/broken/x.yaml"
    assert spec_files([named, named, "-"]) == [named, "-"]


@pytest.mark.parametrize("names", [[], ["nowhere.yaml"], ["empty"]])
def test_nothing_to_read_is_no_answer(names: list[str], tree: Path) -> None:
    with pytest.raises(CannotAnswer):
        spec_files(names)


def test_a_near_name_is_offered(tree: Path) -> None:
    with pytest.raises(CannotAnswer) as caught:
        one_spec("specs/decoder/bb.yaml")
    assert caught.value.help == "did you mean `specs/decoder/b.yaml`?"


def test_one_spec_is_not_a_folder(tree: Path) -> None:
    with pytest.raises(CannotAnswer, match="is a folder"):
        one_spec("specs")
