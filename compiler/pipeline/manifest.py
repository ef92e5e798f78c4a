"""The manifest of an output folder: what it holds, from which spec, line by line."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from archspec.source.frozen import Frozen
from compiler.runtime.published import MANIFEST
from compiler.runtime.unchanged import FORMAT

CHUNK = 1 << 20


class Origin(Frozen):
    """Where a folder's files come from; `spec` as `places.spec_name` gives it."""

    spec: str
    spec_sha256: str
    versions: Mapping[str, str]


class FileRecord(Frozen):
    """One file as written: its length in bytes and its SHA-256, empty for one that was linked;
    `header_sha256` is that of the header alone of weights that a model points into."""

    bytes: int
    sha256: str
    header_sha256: str = ""

    def document(self) -> dict[str, Any]:
        """The record as plain data."""
        header = {"header_sha256": self.header_sha256} if self.header_sha256 else {}
        return {"bytes": self.bytes, "sha256": self.sha256, **header}


class Mark(Frozen):
    """From `line` of a generated file on, the text comes from `spec_line` of `spec` (1-based)."""

    line: int
    spec: str
    spec_line: int


class Manifest(Frozen):
    """Written last into a folder; its presence says that the folder is whole."""

    origin: Origin
    files: Mapping[str, FileRecord]
    lines: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    """What `model.onnx` was made for and what it needs, where the folder has one."""

    def text(self) -> str:
        """The manifest as JSON, the same bytes for the same content."""
        return json.dumps(self.document(), indent=2, sort_keys=True, ensure_ascii=True) + "\n"

    def document(self) -> dict[str, Any]:
        """The manifest as plain data."""
        model = {"model": dict(self.model)} if self.model else {}
        return {
            **model,
            "manifest": FORMAT,
            "spec": {"path": self.origin.spec, "sha256": self.origin.spec_sha256},
            "versions": dict(self.origin.versions),
            "files": {name: record.document() for name, record in self.files.items()},
            "lines": {
                name: [f"{mark.line} {mark.spec}:{mark.spec_line}" for mark in marks]
                for name, marks in self.lines.items()
            },
        }


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder; None where there is none or it is not one of ours."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return _parse(found) if found["manifest"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def is_ours(folder: Path) -> bool:
    """Whether a folder bears our manifest, be it one that a merge has left unreadable."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return f'"manifest": {FORMAT}' in text and '"spec"' in text


def _parse(found: Mapping[str, Any]) -> Manifest:
    spec = found["spec"]
    return Manifest(
        Origin(str(spec["path"]), str(spec["sha256"]), dict(found["versions"])),
        {
            str(name): FileRecord(
                int(record["bytes"]), str(record["sha256"]), str(record.get("header_sha256", ""))
            )
            for name, record in found["files"].items()
        },
        {
            str(name): tuple(_parse_mark(text) for text in marks)
            for name, marks in found["lines"].items()
        },
        dict(found.get("model", {})),
    )


def _parse_mark(text: str) -> Mark:
    """`41 specs/decoder/gpt2.yaml:17`: from line 41 on, what line 17 of the spec says."""
    line, _, place = text.partition(" ")
    spec, _, spec_line = place.rpartition(":")
    return Mark(int(line), spec, int(spec_line))


def record(path: Path) -> FileRecord:
    """Measure one file, reading it in chunks."""
    digest = hashlib.sha256()
    length = 0
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
            length += len(chunk)
    return FileRecord(length, digest.hexdigest())


def files_in(folder: Path) -> Iterable[str]:
    """Names of all files below a folder but the manifest, sorted, with `/` between parts."""
    names = (
        each.relative_to(folder).as_posix()
        for each in folder.rglob("*")
        if each.is_file() or each.is_symlink()
    )
    return sorted(name for name in names if name != MANIFEST)
