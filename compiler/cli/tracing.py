"""From a line of a generated file to the line of the spec it comes from."""

import re
from pathlib import Path, PurePosixPath

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.pipeline.manifest import read_manifest

MARK = re.compile(r"# spec:(?:([^\s:]+):)?(\d+)")
HEAD = re.compile(r"^ +spec +(\S+) +sha256:", re.MULTILINE)
ASKED = re.compile(r"(.+):(\d{1,9})")


class Trace(Frozen):
    """A place in a spec, its text where the spec can be read."""

    spec: str
    line: int
    said: str

    def text(self) -> str:
        """`file:line: text`, which editors and terminals turn into a link."""
        return f"{self.spec}:{self.line}" + (f": {self.said}" if self.said else "")

    def document(self) -> dict[str, object]:
        """The place for a program."""
        return {"spec": self.spec, "line": self.line, "text": self.said}


def trace(asked: str) -> Trace:
    """The spec line behind `FILE:LINE`."""
    match = ASKED.fullmatch(asked)
    if not match:
        raise CannotAnswer(f"`{asked}` names no line", "write it as `generated/…/model.py:41`")
    file, line = Path(match[1]), int(match[2])
    lines = _lines(file)
    if not 1 <= line <= len(lines):
        raise CannotAnswer(f"`{file}` has {len(lines)} lines", f"line {line} is not one of them")
    spec, spec_line = _from_manifest(file, line) or _from_marks(lines[:line], file)
    path = _locate(spec, file)
    if path is None:
        return Trace(spec, spec_line, "")
    written = _lines(path)
    return Trace(
        str(path), spec_line, written[spec_line - 1].strip() if spec_line <= len(written) else ""
    )


def _from_manifest(file: Path, line: int) -> tuple[str, int] | None:
    for folder in file.resolve().parents[:3]:
        manifest = read_manifest(folder)
        if manifest is None:
            continue
        marks = manifest.lines.get(file.resolve().relative_to(folder).as_posix(), ())
        before = [mark for mark in marks if mark.line <= line]
        return (before[-1].spec, before[-1].spec_line) if before else None
    return None


def _from_marks(lines: list[str], file: Path) -> tuple[str, int]:
    """The nearest mark above, in the file it names or else in the spec of the file's head."""
    head = HEAD.search("\n".join(lines))
    for text in reversed(lines):
        if (match := MARK.search(text)) and head:
            spec = PurePosixPath(head[1])
            return str(spec.with_name(match[1]) if match[1] else spec), int(match[2])
    above = "lines above the first class come from the compiler, not from a spec"
    beside = "`model.py` can be asked; `@17` in graph.txt is line 17 of the spec"
    raise CannotAnswer(
        f"nothing says where this line of `{file}` comes from",
        above if file.suffix == ".py" else beside,
    )


def _locate(spec: str, file: Path) -> Path | None:
    """The spec file, looked for from the generated file's folder upwards and from here."""
    roots = [Path(), *file.resolve().parents]
    found = next((root / spec for root in roots if spec and (root / spec).is_file()), None)
    here = Path.cwd()
    return found.relative_to(here) if found and found.is_relative_to(here) else found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise CannotAnswer(f"cannot read `{path}`: {why}") from error
