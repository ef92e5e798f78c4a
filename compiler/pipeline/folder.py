"""An output folder is written beside its place and exchanged with it: whole, or not at all."""

import errno
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from compiler.answer import CannotAnswer
from compiler.pipeline.claim import Claim, claimed
from compiler.pipeline.durable import sync, write_whole
from compiler.pipeline.exchange import exchange
from compiler.pipeline.manifest import (
    FileRecord,
    Manifest,
    Mark,
    Origin,
    files_in,
    is_ours,
    read_manifest,
    record,
)
from compiler.pipeline.recover import DRAFT, OLD, discard, recover, sibling
from compiler.runtime.published import MANIFEST
from compiler.runtime.unchanged import header_sha256

NO_ROOM = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EFBIG: "a file would be larger than the system allows",
}
"""Why there is no room for what is written."""
UNCHANGED = "what was there is unchanged"


class Draft:
    """A folder being written; nothing of it is seen at its place before the block ends well."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._marks: dict[str, tuple[Mark, ...]] = {}
        self._records: dict[str, FileRecord] = {}
        self.model: Mapping[str, Any] = {}
        """What the manifest says of `model.onnx`."""

    def write(self, name: str, text: str, marks: Iterable[Mark] = ()) -> None:
        """Write a text file (UTF-8, `\\n`); `marks` say which spec lines its lines come from."""
        self.path(name).write_text(text, encoding="utf-8", newline="\n")
        if found := tuple(marks):
            self._marks[name] = found

    def path(self, name: str) -> Path:
        """Where to write a file by other means; what stands there at the end joins the manifest."""
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\\" in name or name == MANIFEST:
            raise ValueError(f"not a name inside an output folder: {name!r}")
        path = self.folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def known(self, name: str, measured: FileRecord) -> None:
        """Spare a second reading of a large file whose writer took its length and SHA-256."""
        self._records[name] = measured

    def manifest(self, origin: Origin) -> Manifest:
        """The manifest of what has been written so far."""
        files = {
            name: self._records.get(name) or record(self.folder / name)
            for name in files_in(self.folder)
        }
        lines: Mapping[str, tuple[Mark, ...]] = {
            name: marks for name, marks in self._marks.items() if name in files
        }
        return Manifest(origin, files, lines, self.model)


@contextmanager
def write_folder(target: Path, origin: Origin) -> Iterator[Draft]:
    """Write an output folder; when the block ends well it replaces `target` in one step.

    Files of the old folder that its manifest does not list (a note, a checkpoint) move along.
    Raises `CannotAnswer` where the place cannot be written, is a file, or is a folder of somebody
    else's, and where the disk is full; `target` is then as it was.
    """
    place = Path(os.path.realpath(target))
    made = [each for each in place.parents if not each.exists()]
    draft = Draft(sibling(place, DRAFT, secrets.token_hex(4)))
    claim: Claim | None = None
    try:
        with plainly(target):
            claim = _begin(place, draft.folder, target)
        with full_disk(target):
            yield draft
        with plainly(target):
            _seal(draft, origin)
            _commit(draft.folder, place)
    except BaseException:
        _break_off(place, draft.folder, claim)
        _take_away(made)
        raise
    claim.release()


def verify_folder(folder: Path) -> list[str]:
    """What disagrees between a folder and its manifest, one sentence each; empty when whole."""
    manifest = read_manifest(folder)
    if manifest is None:
        return [f"`{MANIFEST}` is missing or unreadable"]
    return [
        f"`{name}` {problem}"
        for name, expected in sorted(manifest.files.items())
        if (problem := problem_of(folder / name, expected))
    ]


def problem_of(path: Path, expected: FileRecord) -> str:
    """What is wrong with a file, after a look at all its bytes; empty where nothing is."""
    if not path.is_file():
        return "is missing"
    if path.stat().st_size != expected.bytes:
        return "differs from what was written"
    if expected.sha256 and record(path).sha256 != expected.sha256:
        return "differs from what was written"
    if expected.header_sha256 and header_sha256(path) != expected.header_sha256:
        return "has its tensors at other places than when it was linked"
    return ""


def _take_away(made: Iterable[Path]) -> None:
    """Remove folders from the inside out, up to the first that holds something."""
    try:
        for folder in made:
            folder.rmdir()
    except OSError:
        return


def _break_off(place: Path, draft: Path, claim: Claim | None) -> None:
    """Leave what was there before a draft was begun, or an interrupted exchange finished."""
    if claim is None:
        if os.path.isdir(draft):
            draft.rmdir()  # interrupted before anything could be written
        return
    claim.release()
    with claimed(place.parent):
        recover(place)


def _begin(place: Path, draft: Path, target: Path) -> Claim:
    try:
        return _begun(place, draft, target)
    except FileNotFoundError:
        return _begun(
            place, draft, target
        )  # a build that failed took its empty folders away just then


def _begun(place: Path, draft: Path, target: Path) -> Claim:
    place.parent.mkdir(parents=True, exist_ok=True)
    with claimed(place.parent):
        recover(place)
        _refuse_foreign(place, target)
        draft.mkdir()
        return Claim(draft, wait=False)


def _refuse_foreign(place: Path, target: Path) -> None:
    if not place.exists():
        return
    if not place.is_dir():
        raise CannotAnswer(f"`{target}` is a file", "an output folder is to be written there")
    if not is_ours(place) and any(place.iterdir()):
        raise CannotAnswer(
            f"folder `{target}` was not written by archc",
            "move it away, or choose another place with `--out`",
        )


def _seal(draft: Draft, origin: Origin) -> None:
    text = draft.manifest(origin).text()
    for name in files_in(draft.folder):
        sync(draft.folder / name)
    write_whole(draft.folder / MANIFEST, text)
    sync(draft.folder)


def _commit(draft: Path, place: Path) -> None:
    with claimed(place.parent):
        if not place.exists():
            draft.rename(place)
        elif exchange(draft, place):
            discard(draft, place)
        else:
            old = sibling(place, OLD, secrets.token_hex(4))
            place.rename(old)
            draft.rename(place)
            discard(old, place)
        sync(place.parent)


@contextmanager
def plainly(target: Path) -> Iterator[None]:
    """Say in one sentence why a folder could not be written."""
    try:
        yield
    except OSError as error:
        why = NO_ROOM.get(error.errno or 0) or error.strerror or str(error)
        raise CannotAnswer(f"cannot write `{target}`: {why}", UNCHANGED) from error


@contextmanager
def full_disk(target: Path) -> Iterator[None]:
    """Of the errors of the block, only a lack of room is certain to be about the target."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        why = NO_ROOM[error.errno or 0]
        raise CannotAnswer(f"cannot write `{target}`: {why}", UNCHANGED) from error
