"""Repair what an interrupted exchange left beside an output folder."""

import shutil
from pathlib import Path

from compiler.pipeline.claim import is_abandoned
from compiler.pipeline.manifest import files_in, read_manifest
from compiler.runtime.published import MANIFEST

DRAFT = "draft"
OLD = "old"
CACHE = "__pycache__"


def sibling(place: Path, kind: str, token: str) -> Path:
    """The name a draft or a replaced folder has beside its place."""
    return place.with_name(f".{place.name}.archc-{kind}-{token}")


def recover(place: Path) -> None:
    """Finish or undo an exchange that was interrupted, and clear what dead processes left.

    With one atomic exchange `place` is always whole and only leftovers are cleared. Where two
    renames were needed, the place may be empty with the old folder beside it: the new one is put
    there if it was whole, else the old one is put back.
    """
    olds = _siblings(place, OLD)
    drafts = [draft for draft in _siblings(place, DRAFT) if is_abandoned(draft)]
    if olds and not place.exists():
        whole = [draft for draft in drafts if read_manifest(draft) is not None]
        (whole or olds)[-1].rename(place)
    for left in (*drafts, *olds):
        if left.exists():
            discard(left, place)


def discard(folder: Path, place: Path) -> None:
    """Delete a replaced folder; files its manifest does not list move to the new one first.

    A folder without a manifest was never whole, so that all its files are ours.
    """
    if (folder / MANIFEST).exists() and place.is_dir():
        manifest = read_manifest(folder)
        listed = manifest.files if manifest else {}
        for name in files_in(folder):
            if name not in listed and CACHE not in name.split("/"):
                _move(folder / name, place / name)
    (folder / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _move(source: Path, goal: Path) -> None:
    if goal.exists() or goal.is_symlink():
        return
    goal.parent.mkdir(parents=True, exist_ok=True)
    source.rename(goal)


def _siblings(place: Path, kind: str) -> list[Path]:
    prefix = sibling(place, kind, "").name
    return sorted(each for each in place.parent.iterdir() if each.name.startswith(prefix))
