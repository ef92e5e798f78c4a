"""Files and folders on the command line."""

import os
from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.cli.sources import one_spec, spec_files, write_out


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


def test_a_published_model_has_a_config_instead_of_a_spec(tree: Path) -> None:
    (tree / "empty" / "config.json").write_text("{}")
    with pytest.raises(CannotAnswer, match="no spec in `empty`") as caught:
        spec_files(["empty"])
    assert "`archc import empty -o NAME.yaml`" in caught.value.help


def test_one_spec_is_not_a_folder(tree: Path) -> None:
    with pytest.raises(CannotAnswer, match="is a folder"):
        one_spec("specs")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("specks/decoder/b.yaml", "specs/decoder/b.yaml"),
        ("specs/decodr", "specs/decoder"),
        ("specs/decodr/b.yaml", "specs/decoder/b.yaml"),
    ],
)
def test_a_near_folder_is_offered(name: str, meant: str, tree: Path) -> None:
    with pytest.raises(CannotAnswer) as caught:
        spec_files([name])
    assert caught.value.help == f"did you mean `{meant}`?"


def test_nothing_near_is_nothing_offered(tree: Path) -> None:
    for name in ("/nowhere/at/all.yaml", "notes.txt/a.yaml", "qqq.yaml"):
        with pytest.raises(CannotAnswer) as caught:
            spec_files([name])
        assert caught.value.help == ""


def test_an_empty_name_is_no_folder(tree: Path) -> None:
    with pytest.raises(CannotAnswer, match="no file"):
        one_spec("")


def test_what_is_no_file_is_written_as_it_is(tree: Path) -> None:
    write_out("anything", os.devnull)
    assert Path(os.devnull).is_char_device()
    with pytest.raises(CannotAnswer, match="Is a directory"):
        write_out("anything", "specs")
