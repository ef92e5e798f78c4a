"""Print what is wrong with specs: in full, one line each, for GitHub, or as JSON."""

import sys
from collections.abc import Mapping, Sequence

from archspec.source.diagnostic import Diagnostic, exit_status
from archspec.source.render import render
from compiler.cli.tell import coloured, diagnostic_document, note, tell, tell_json

Findings = Mapping[str, Sequence[Diagnostic]]


def tell_findings(found: Findings, format: str) -> int:
    """Print the findings by spec and their sum; returns the exit code."""
    every = [each for findings in found.values() for each in findings]
    if format == "json":
        tell_json("check", _document(found))
    elif format == "concise":
        tell("\n".join(map(_concise, every)))
    elif format == "github":
        tell("\n".join(map(_github, every)))
    elif every:
        sys.stderr.write(render(every, colour=coloured(sys.stderr)).rstrip("\n") + "\n")
    if format == "full":
        _sum_up(found)
    return exit_status(every)


def _sum_up(found: Findings) -> None:
    errors = [sum(each.severity == "error" for each in findings) for findings in found.values()]
    if not any(errors):
        return
    wrong = sum(map(bool, errors))
    note(f"found {_count(sum(errors), 'error')} in {_count(wrong, 'spec')}; nothing written")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _document(found: Findings) -> dict[str, object]:
    return {
        "ok": not any(each.severity == "error" for findings in found.values() for each in findings),
        "specs": [
            {"path": path, "diagnostics": [diagnostic_document(each) for each in findings]}
            for path, findings in found.items()
        ],
    }


def _concise(found: Diagnostic) -> str:
    span = found.primary.span
    return f"{span.file}:{span.line}:{span.column}: {found.severity}[{found.code}]: {found.message}"


def _github(found: Diagnostic) -> str:
    """A workflow command; percent signs and line ends are escaped as GitHub wants them."""
    span = found.primary.span
    said = found.message + (f" ({found.help})" if found.help else "")
    said = said.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    file = span.file.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    place = f"file={file},line={span.line},col={span.column},endLine={span.end_line}"
    return f"::{found.severity} {place},title={found.code}::{said}"
