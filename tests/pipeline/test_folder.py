"""An output folder is whole or untouched, whatever happens to its writer."""

import errno
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.pipeline.folder import verify_folder, write_folder
from compiler.pipeline.manifest import Mark, Origin, read_manifest

ORIGIN = Origin("specs/decoder/tiny.yaml", "ab" * 32, {"archc": "0.1.0"})


@pytest.fixture(params=["one exchange", "two renames"])
def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "two renames":
        monkeypatch.setattr("compiler.pipeline.folder.exchange", lambda one, other: False)
    return tmp_path / "generated" / "decoder" / "tiny"


def build(target: Path, **texts: str) -> None:
    with write_folder(target, ORIGIN) as draft:
        for name, text in texts.items():
            draft.write(name, text)


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def leftovers(target: Path) -> list[str]:
    return [path.name for path in target.parent.iterdir() if path != target]


def test_writes_files_and_a_manifest_that_sha256sum_agrees_with(target: Path) -> None:
    build(target, model="x = 1\n")
    manifest = json.loads((target / "manifest.json").read_text())
    digest = hashlib.sha256(b"x = 1\n").hexdigest()
    assert manifest["files"] == {"model": {"bytes": 6, "sha256": digest}}
    assert manifest["spec"] == {"path": "specs/decoder/tiny.yaml", "sha256": "ab" * 32}
    assert manifest["versions"] == {"archc": "0.1.0"}
    assert leftovers(target) == []


def test_replaces_the_old_files_and_keeps_what_is_not_ours(target: Path) -> None:
    build(target, model="old", cost="old")
    (target / "notes.txt").write_text("mine")
    (target / "runs").mkdir()
    (target / "runs" / "best.pt").write_text("mine too")
    build(target, model="new")
    assert contents(target) == {"model": "new", "notes.txt": "mine", "runs/best.pt": "mine too"}
    assert verify_folder(target) == []
    assert leftovers(target) == []


def test_a_file_of_somebody_elses_gives_way_to_a_new_output_of_its_name(target: Path) -> None:
    build(target, model="old")
    (target / "cost").write_text("mine")
    build(target, model="new", cost="ours")
    assert contents(target) == {"model": "new", "cost": "ours"}


def test_same_content_gives_the_same_bytes_everywhere(tmp_path: Path) -> None:
    for place in ("one", "another/deeper"):
        with write_folder(tmp_path / place, ORIGIN) as draft:
            draft.write("b.py", "b\n", [Mark(3, "specs/decoder/tiny.yaml", 7)])
            draft.path("a.bin").write_bytes(b"\0\1")
    one = (tmp_path / "one" / "manifest.json").read_bytes()
    assert one == (tmp_path / "another/deeper" / "manifest.json").read_bytes()
    assert json.loads(one)["lines"] == {"b.py": ["3 specs/decoder/tiny.yaml:7"]}


@pytest.mark.parametrize("error", [RuntimeError("bug"), KeyboardInterrupt()])
def test_an_error_inside_leaves_the_old_folder(target: Path, error: BaseException) -> None:
    build(target, model="old")
    with pytest.raises(type(error)), write_folder(target, ORIGIN) as draft:
        draft.write("model", "new")
        raise error
    assert contents(target) == {"model": "old"}
    assert leftovers(target) == []


def test_an_error_inside_a_first_build_leaves_nothing(target: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), write_folder(target, ORIGIN) as draft:
        draft.write("model", "new")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_first_build_that_fails_leaves_the_folders_of_others(
    target: Path, tmp_path: Path
) -> None:
    (tmp_path / "generated").mkdir()
    with pytest.raises(RuntimeError), write_folder(target, ORIGIN):
        build(target.parent.parent / "encoder" / "other", model="x")
        raise RuntimeError
    assert [each.name for each in (tmp_path / "generated").iterdir()] == ["encoder"]


def test_an_interruption_at_the_very_beginning_leaves_nothing(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(target, model="old")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("compiler.pipeline.folder.Claim", interrupted)
    with pytest.raises(KeyboardInterrupt), write_folder(target, ORIGIN):
        pass
    assert (contents(target), leftovers(target)) == ({"model": "old"}, [])


def test_a_full_disk_is_said_and_changes_nothing(target: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full on this system")
    build(target, model="old")
    with (
        pytest.raises(CannotAnswer, match="the disk is full"),
        write_folder(target, ORIGIN) as draft,
    ):
        draft.path("model.onnx").symlink_to("/dev/full")
        draft.path("model.onnx").write_bytes(b"weights")
    assert contents(target) == {"model": "old"}
    assert leftovers(target) == []


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.ENOSPC, "the disk is full"), (errno.EDQUOT, "quota"), (errno.EFBIG, "larger than")],
)
def test_no_room_is_said_with_the_folder(number: int, said: str, target: Path) -> None:
    with (
        pytest.raises(CannotAnswer, match=f"cannot write `{target}`.*{said}"),
        write_folder(target, ORIGIN),
    ):
        raise OSError(number, os.strerror(number))
    assert not target.parents[1].exists()


FILL = """
import os, subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", sys.argv[1]], check=True)
from pathlib import Path
from compiler.answer import CannotAnswer
from compiler.pipeline.folder import verify_folder, write_folder
from compiler.pipeline.manifest import Origin
target = Path(sys.argv[1], "tiny")
def build(size):
    with write_folder(target, Origin("s", "0", {})) as draft:
        draft.path("weights").write_bytes(b"w" * size)
build(1000)
try:
    build(1_000_000)
except CannotAnswer as error:
    print(error.message)
print(verify_folder(target), (target / "weights").stat().st_size, os.listdir(sys.argv[1]))
"""


def test_a_file_system_that_really_fills(tmp_path: Path) -> None:
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(tmp_path)]
    try:
        able = subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        able = False
    if not able:
        pytest.skip("this system does not let a test mount a small file system")
    run = ["unshare", "-rm", sys.executable, "-c", FILL, str(tmp_path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    said, state = done.stdout.splitlines()
    assert said.endswith("the disk is full")
    assert state == "[] 1000 ['tiny']"


def test_another_programs_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "draft.tex").write_text("years of work")
    (tmp_path / "thesis" / "manifest.json").write_text('{"name": "a web page"}')
    with pytest.raises(CannotAnswer, match="was not written by archc"):
        build(tmp_path / "thesis", model="x")
    assert (tmp_path / "thesis" / "draft.tex").read_text() == "years of work"


def test_a_manifest_with_merge_marks_is_still_ours(tmp_path: Path) -> None:
    target = tmp_path / "tiny"
    build(target, model="old")
    manifest = target / "manifest.json"
    manifest.write_text("<<<<<<< HEAD\n" + manifest.read_text() + ">>>>>>> theirs\n")
    assert verify_folder(target) == ["`manifest.json` is missing or unreadable"]
    build(target, model="new")
    assert verify_folder(target) == []
    assert contents(target) == {"model": "new"}


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tiny").write_text("a file")
    with pytest.raises(CannotAnswer, match="is a file"):
        build(tmp_path / "tiny", model="x")


def test_a_linked_folder_is_followed_and_stays_linked(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "tiny").symlink_to(tmp_path / "disk")
    build(tmp_path / "tiny", model="x")
    assert (tmp_path / "tiny").is_symlink()
    assert contents(tmp_path / "disk") == {"model": "x"}


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "a\\x", "", "manifest.json"])
def test_no_name_leaves_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError), write_folder(tmp_path / "tiny", ORIGIN) as draft:
        draft.write(name, "x")
    assert list(tmp_path.iterdir()) == []


def test_verify_names_each_file_that_disagrees(tmp_path: Path) -> None:
    build(tmp_path / "tiny", a="1", b="2", c="3")
    (tmp_path / "tiny" / "a").unlink()
    (tmp_path / "tiny" / "b").write_text("X")
    assert verify_folder(tmp_path / "tiny") == [
        "`a` is missing",
        "`b` differs from what was written",
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"manifest": 1}', '{"manifest": 2}', "[" * 100_000, "\0"]
)
def test_a_damaged_manifest_is_no_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert read_manifest(tmp_path) is None


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    folder.chmod(0o500)
    try:
        yield
    finally:
        folder.chmod(0o700)


def test_a_place_without_permission_is_said(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    with read_only(tmp_path), pytest.raises(CannotAnswer, match="Permission denied"):
        build(tmp_path / "tiny", model="x")
