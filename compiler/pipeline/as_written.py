"""Whether a built folder is what its manifest says: every file, byte for byte."""

from collections.abc import Iterator
from pathlib import Path

from compiler.answer import CannotAnswer
from compiler.pipeline.folder import problem_of
from compiler.pipeline.manifest import Manifest, read_manifest
from compiler.runtime.published import MANIFEST
from compiler.verify.verdict import Check, Verdict, failed


def intact(folder: Path) -> Verdict:
    """A check for each file of a folder that archc wrote, and of what it was built from.

    Of a file that was linked from a checkpoint its length and header are known, and nothing else.
    Raises CannotAnswer where the folder has no manifest that can be read.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise CannotAnswer(
            f"`{folder / MANIFEST}` cannot be read, and nothing else says what was written",
            "build it again",
        )
    count = len(manifest.files)
    files = "1 file" if count == 1 else f"{count} files"
    return Verdict(
        str(folder), tuple(_checks(folder, manifest)), None, remark=f"{files} as written"
    )


def is_built(folder: Path) -> bool:
    """Whether it is a folder that archc wrote."""
    return folder.is_dir() and (folder / MANIFEST).is_file()


def _checks(folder: Path, manifest: Manifest) -> Iterator[Check]:
    for name, record in sorted(manifest.files.items()):
        if problem := problem_of(folder / name, record):
            yield failed(name, problem)
        else:
            yield Check(name, True, reason="" if record.sha256 else "linked: its length and header")
