"""Print what is wrong with specs: in full, one line each, as Markdown, as JSON, or for GitHub, code
scanning and test reports."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from archspec.source.diagnostic import Diagnostic, exit_status
from archspec.source.render import render
from compiler.cli.tell import coloured, diagnostic_document, note, tell, tell_json
from compiler.report.escape import inline
from compiler.report.table import Table

if TYPE_CHECKING:
    from compiler.pipeline import Checked

Findings = Mapping[str, Sequence[Diagnostic]]


def tell_checked(checked: "Sequence[Checked]", format: str, kind: str) -> int:
    """Print what is wrong with checked specs, limits among it; returns the exit code."""
    found = {each.path: each.diagnostics for each in checked}
    if format == "json":
        tell_json(kind, _with_limits(checked, found))
    elif format == "junit":
        from compiler.cli.junit import junit

        tell(junit(checked, f"archc {kind}"))
    else:
        return tell_findings(found, format)
    return exit_status([each for findings in found.values() for each in findings])


def tell_findings(found: Findings, format: str) -> int:
    """Print the findings by spec and their sum; returns the exit code."""
    every = [each for findings in found.values() for each in findings]
    if format == "json":
        tell_json("check", _document(found))
    elif format == "concise":
        tell("\n".join(map(_concise, every)))
    elif format == "github":
        tell("\n".join(map(_github, every)))
    elif format == "markdown":
        tell(_markdown(found))
    elif format == "sarif":
        from compiler.cli.sarif import sarif

        tell(sarif(every))
    elif every:
        sys.stderr.write(render(every, colour=coloured(sys.stderr)).rstrip("\n") + "\n")
    if format == "full":
        _sum_up(found)
    return exit_status(every)


def is_file(name: str) -> bool:
    """Whether a place is one of a file, not of an option, standard input or a mapping."""
    return name not in ("", "-") and not name.startswith("--")


def _with_limits(checked: "Sequence[Checked]", found: Findings) -> dict[str, object]:
    """The document, with what each limit is held against."""
    specs = [
        {
            "path": each.path,
            "diagnostics": [diagnostic_document(one) for one in each.diagnostics],
            "budget": [verdict.document() for verdict in each.verdicts],
        }
        for each in checked
    ]
    return {**_document(found), "specs": specs}


def _sum_up(found: Findings) -> None:
    errors = [sum(each.severity == "error" for each in findings) for findings in found.values()]
    if not any(errors):
        return
    wrong = sum(map(bool, errors))
    note(f"found {_count(sum(errors), 'error')} in {_count(wrong, 'spec')}")


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
    """A workflow command with what, why and help; percent signs and line ends are escaped as GitHub
    wants them."""
    span = found.primary.span
    said = "\n".join(filter(None, (found.message, found.primary.text, found.help)))
    said = said.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    file = span.file.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    place = f"file={file},line={span.line},col={span.column},endLine={span.end_line},"
    return f"::{found.severity} {place if is_file(span.file) else ''}title={found.code}::{said}"


def _markdown(found: Findings) -> str:
    """A table of all findings, for a job's summary."""
    wrong = sum(any(each.severity == "error" for each in findings) for findings in found.values())
    held = len(found) - wrong
    lines = [f"**{_count(wrong, 'spec')} with errors**, {held} without" if wrong else ""]
    if not wrong:
        lines = [f"{_count(held, 'spec')} checked, no error"]
    rows = [
        (
            _cell(f"{each.primary.span.file or 'spec'}:{each.primary.span.line}"),
            f"`{each.code}`",
            _cell(each.message),
            _cell(" — ".join(filter(None, (each.primary.text, each.help)))),
        )
        for findings in found.values()
        for each in findings
    ]
    table = Table(("place", "code", "what", "why"), rows).markdown() if rows else []
    return "\n".join([*lines, *[""] * bool(rows), *table])


def _cell(words: str) -> str:
    """Words without markup; the table escapes its own bars."""
    return inline(words).replace("\\|", "|")
