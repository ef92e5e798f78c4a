"""Say the answer on stdout and everything else on stderr."""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TextIO

from compiler import __version__

if TYPE_CHECKING:
    from archspec.source.diagnostic import Diagnostic


def tell(text: str) -> None:
    """Print an answer that may or may not end its last line."""
    if text:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")


def tell_json(kind: str, document: Mapping[str, object]) -> None:
    """Print one JSON document: the version of archc, of the document, its kind, sorted keys. It is
    `ok` unless it says otherwise."""
    whole = {"archc": __version__, "version": 1, "kind": kind, "ok": True, **document}
    tell(json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False))


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON, in either spelling."""
    pairs = pairwise(arguments)
    return bool({"--json", "--format=json"} & {*arguments}) or ("--format", "json") in pairs


def note(text: str) -> None:
    """Say something beside the answer."""
    print(text, file=sys.stderr)


def complain(message: str, help: str = "") -> None:
    """Say on stderr why there is no answer."""
    word = "\x1b[1;31merror\x1b[0m" if coloured(sys.stderr) else "error"
    note(f"{word}: {message}")
    if help:
        note(f"help: {help}")


def tell_diagnostics(diagnostics: Iterable["Diagnostic"]) -> None:
    """Render diagnostics on stderr."""
    from archspec.source.render import render

    text = render(tuple(diagnostics), colour=coloured(sys.stderr))
    if text:
        sys.stderr.write(text if text.endswith("\n") else text + "\n")


def coloured(stream: TextIO) -> bool:
    """Whether to colour: never under NO_COLOR, always under FORCE_COLOR, else on terminals."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def tell_refusal(kind: str, diagnostics: "tuple[Diagnostic, ...]", *, as_json: bool) -> int:
    """Say that a spec cannot be used, and why; returns the exit code."""
    from archspec.source.diagnostic import exit_status

    if as_json:
        found = [diagnostic_document(diagnostic) for diagnostic in diagnostics]
        tell_json(kind, {"diagnostics": found, "ok": False})
    else:
        tell_diagnostics(diagnostics)
    return exit_status(diagnostics) or 1


def diagnostic_document(diagnostic: "Diagnostic") -> dict[str, object]:
    """One diagnostic for `--json`: code, severity, message, help and every place it points at."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "places": [
            {
                "file": label.span.file,
                "line": label.span.line,
                "column": label.span.column,
                "end_line": label.span.end_line,
                "end_column": label.span.end_column,
                "text": label.text,
            }
            for label in (diagnostic.primary, *diagnostic.others)
        ],
    }
