"""Whether what is checked in is what the specs compile to."""

import difflib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import archspec
from archspec.source.frozen import Frozen
from compiler.pipeline.folder import verify_folder
from compiler.pipeline.manifest import FileRecord, Manifest, read_manifest
from compiler.pipeline.passes import lowered
from compiler.pipeline.places import places
from compiler.pipeline.texts import origin, texts
from compiler.runtime.published import MANIFEST


class Drift(Frozen):
    """One file that is not what its spec compiles to; `difference` is a unified diff of text."""

    path: str
    problem: str
    difference: str = ""


def check_generated(paths: Sequence[str], *, set: Sequence[str] = ()) -> list[Drift]:
    """Compare the generated folder of each spec with what it compiles to now. Raises SpecError."""
    return [drift for path in paths for drift in _drifts(path, set)]


def _drifts(path: str, set: Sequence[str]) -> Iterator[Drift]:
    spec = archspec.load(path, set=set)
    folder = places(path).text
    wanted = texts(spec, lowered(spec))
    for name, text in wanted.items():
        found = folder / name
        try:
            current = found.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            yield Drift(str(found), "is missing", _diff(found, "", text.content))
            continue
        if current != text.content:
            yield Drift(str(found), "is stale", _diff(found, current, text.content))
    manifest = read_manifest(folder)
    files = {name: _record(text.content) for name, text in wanted.items()}
    lines = {name: text.marks for name, text in wanted.items() if text.marks}
    expected = Manifest(origin(spec), files, lines).text()
    if manifest is None or (folder / MANIFEST).read_text(encoding="utf-8") != expected:
        yield Drift(str(folder / MANIFEST), "is stale" if manifest else "is missing")
    elif problems := verify_folder(folder):
        yield from (Drift(str(folder), problem) for problem in problems)


def _record(text: str) -> FileRecord:
    content = text.encode()
    return FileRecord(len(content), hashlib.sha256(content).hexdigest())


def _diff(path: Path, current: str, wanted: str) -> str:
    lines = difflib.unified_diff(
        current.splitlines(keepends=True),
        wanted.splitlines(keepends=True),
        f"{path} (there)",
        f"{path} (compiled)",
    )
    return "".join(lines)
