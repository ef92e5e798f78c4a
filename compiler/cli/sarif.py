"""Findings as SARIF 2.1.0 (OASIS 2020), which code scanning of GitHub and editors read."""

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from archspec.source.codes import CODES, page
from archspec.source.diagnostic import Diagnostic, Label
from compiler import __version__
from compiler.cli.findings import is_file

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif(found: Sequence[Diagnostic]) -> str:
    """One run with a result for each finding, and a rule for each of their codes."""
    rules = sorted({each.code for each in found})
    run = {
        "tool": {
            "driver": {
                "name": "archc",
                "version": __version__,
                "rules": [_rule(code) for code in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, rules.index(each.code)) for each in found],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def _rule(code: str) -> dict[str, Any]:
    text = page(code)
    return {
        "id": code,
        "shortDescription": {"text": CODES[code]},
        "fullDescription": {"text": text.split("\n\n")[1].replace("\n", " ")},
        "help": {"text": text, "markdown": text},
    }


def _result(found: Diagnostic, rule: int) -> dict[str, Any]:
    said = [found.message, found.primary.text, found.help]
    result = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": found.severity,
        "message": {"text": "\n".join(filter(None, said))},
        "locations": [_location(found.primary)],
    }
    if found.others:
        result["relatedLocations"] = [
            {"id": number, **_location(label), "message": {"text": label.text or "see here"}}
            for number, label in enumerate(found.others)
        ]
    return result


def _location(label: Label) -> dict[str, Any]:
    """A place in a file; what stands in none, such as `--set`, is named alone."""
    span = label.span
    if not is_file(span.file):
        return {"logicalLocations": [{"fullyQualifiedName": span.file or "spec"}]}
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(span.file)}, "region": region}}


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
