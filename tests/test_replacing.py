"""Files that are written whole or not at all."""

import errno
import os
from pathlib import Path
from typing import BinaryIO

import pytest

from compiler.answer import CannotAnswer
from compiler.replacing import check_place, replace_file


def test_a_file_is_replaced_at_the_end_of_a_link_and_keeps_its_mode(tmp_path: Path) -> None:
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    replace_file(page, lambda file: file.write(b"first"))
    page.chmod(0o640)
    link.symlink_to(page)
    replace_file(link, lambda file: file.write(b"second"))
    assert link.is_symlink()
    assert (page.read_bytes(), page.stat().st_mode & 0o777) == (b"second", 0o640)


def test_a_disk_that_fills_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("first")

    def full(file: BinaryIO) -> None:
        file.write(b"se")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CannotAnswer, match=r"page\.html`: No space left"):
        replace_file(page, full)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"page.html": "first"}


def test_of_two_at_once_each_writes_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"

    def between(file: BinaryIO) -> None:
        file.write(b"first")
        with monkeypatch.context() as other:
            other.setattr(os, "getpid", lambda: 1)
            replace_file(page, lambda it: it.write(b"second"))
        assert page.read_bytes() == b"second"

    replace_file(page, between)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"page.html": "first"}


def test_a_device_is_written_to_as_it_is(tmp_path: Path) -> None:
    replace_file(Path(os.devnull), lambda file: file.write(b"anything"))
    assert Path(os.devnull).is_char_device()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd on this system")
def test_a_pipe_is_written_to_as_it_is() -> None:
    out, into = os.pipe()
    try:
        check_place(Path(f"/dev/fd/{into}"))
        replace_file(Path(f"/dev/fd/{into}"), lambda file: file.write(b"anything"))
        assert os.read(out, 100) == b"anything"
    finally:
        os.close(out)
        os.close(into)


def test_a_long_name_has_room_for_what_stands_beside_it(tmp_path: Path) -> None:
    replace_file(tmp_path / ("n" * 250), lambda file: file.write(b"x"))
    assert [each.name for each in tmp_path.iterdir()] == ["n" * 250]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (".", "Is a directory"),
        ("no/such/page.html", "No such file or directory"),
        ("file/page.html", "No such file or directory"),
        ("n" * 300, "File name too long"),
    ],
)
def test_where_nothing_can_be_written_is_said_before_and_then(
    place: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / place
    with pytest.raises(CannotAnswer, match=why):
        check_place(path)
    with pytest.raises(CannotAnswer, match="cannot write"):
        replace_file(path, lambda file: file.write(b"x"))
    check_place(tmp_path / "page.html")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
