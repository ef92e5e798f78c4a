"""Configs made from mappings, as the importers get them from files."""

import json
from collections.abc import Mapping
from typing import Any

from archspec.source.report import Report
from compiler.importers.config.config import NOTHING, Config
from compiler.importers.config.places import places


def reading(
    said: Mapping[str, Any], defaults: Mapping[str, Any] = NOTHING
) -> tuple[Config, Report]:
    """A config with the report that it writes into."""
    report = Report()
    text = json.dumps(said, indent=2)
    return Config(said, places(text, "config.json"), report, defaults=defaults), report


def codes(report: Report) -> list[str]:
    """The codes of what was reported."""
    return [each.code for each in report.diagnostics]
