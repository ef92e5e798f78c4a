"""Files and folders on the command line."""

import errno
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


def test_a_page_is_written_whole_or_not_at_all(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tree / "page.html"
    write_out("first", str(page))
    page.chmod(0o640)
    link = tree / "link.html"
    link.symlink_to(page)
    write_out("second", str(link))
    assert link.is_symlink()
    assert (page.read_text(), page.stat().st_mode & 0o777) == ("second", 0o640)

    def full(self: Path, text: str, **_: object) -> int:
        with self.open("w") as file:
            file.write(text[:2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(CannotAnswer, match="No space left") as caught:
        write_out("third", "page.html")
    assert "`page.html`" in caught.value.message
    assert page.read_text() == "second"
    assert not list(tree.glob(".*.part"))


def test_what_is_no_file_is_written_as_it_is(tree: Path) -> None:
    write_out("anything", os.devnull)
    assert Path(os.devnull).is_char_device()
    with pytest.raises(CannotAnswer, match="Is a directory"):
        write_out("anything", "specs")


def test_of_two_at_once_each_writes_its_own(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, write = tree / "page.html", Path.write_text

    def between(self: Path, text: str, **given: str) -> int:
        written = write(self, text, **given)
        if text == "first":
            with monkeypatch.context() as other:
                other.setattr(os, "getpid", lambda: 1)
                write_out("second", str(page))
            assert page.read_text() == "second"
        return written

    monkeypatch.setattr(Path, "write_text", between)
    write_out("first", str(page))
    assert page.read_text() == "first"
    assert not list(tree.glob(".*.part"))
