"""Bring spec files into canonical form, each written whole or not at all."""

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from archspec import load
from archspec.format import format_text
from archspec.source.diagnostic import Diagnostic, SpecError, exit_status
from compiler.answer import CannotAnswer
from compiler.cli.sources import write_text
from compiler.cli.tell import diagnostic_document, note, tell, tell_diagnostics, tell_json


def format_all(paths: Sequence[str], *, write: bool, show: bool, as_json: bool) -> int:
    """Format files in place, or compare only; returns the exit code."""
    if "-" in paths:
        return _format_stream(paths)
    changed, wrong, code = list[str](), list[Diagnostic](), 0
    for path in paths:
        try:
            before = _read(path)
            after = format_text(before, path)
        except SpecError as error:
            wrong += error.diagnostics
            code = max(code, exit_status(error.diagnostics) or 1)
            continue
        if after != before:
            changed.append(path)
            _settle(path, before, after, write=write, show=show)
    if as_json:
        found = [diagnostic_document(each) for each in wrong]
        said = {"changed": changed, "written": write, "diagnostics": found}
        tell_json("fmt", {"ok": not code and (write or not changed), **said})
        return code or int(bool(changed) and not write)
    tell_diagnostics(wrong)
    if changed and not show:
        note("\n".join(f"{'formatted' if write else 'would format'} {path}" for path in changed))
    return code or int(bool(changed) and not write)


def _format_stream(paths: Sequence[str]) -> int:
    if len(paths) > 1:
        raise CannotAnswer("`-` stands alone", "format files in a call of their own")
    try:
        tell(format_text(sys.stdin.read(), "-"))
    except SpecError as error:
        tell_diagnostics(error.diagnostics)
        return exit_status(error.diagnostics) or 1
    return 0


def _settle(path: str, before: str, after: str, *, write: bool, show: bool) -> None:
    if show:
        lines = difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), path, path
        )
        tell("".join(lines))
    if write:
        write_text(after, Path(path))


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        load(Path(path))  # says what is wrong with a file that is no text
        raise
    except OSError as error:
        raise CannotAnswer(f"cannot read `{path}`: {error.strerror}") from error
