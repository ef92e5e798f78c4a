"""Diagnostics about a file of weights, which has no lines: all point at its first character."""

from pathlib import Path
from typing import Literal

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.span import Span
from compiler.importers.printable import printable

HELP_INDENT = "\n      "
"""Between the lines of a help text, which stand below each other behind `help: `."""


def about_file(
    code: str,
    path: Path,
    message: str,
    note: str = "",
    hint: str = "",
    severity: Literal["error", "warning"] = "error",
) -> Diagnostic:
    """A diagnostic whose primary label is the whole of `path`; the file itself stays unread."""
    name = printable(path.name)
    label = Label(Span(str(path), 1, 1, 1, 1 + len(name)), note, name)
    return Diagnostic(code, message, label, (), hint, severity)
