"""A file of limits: the mapping of `budget:` by itself, for specs that are not to be touched."""

from collections.abc import Mapping
from pathlib import Path

from archspec.load import in_order
from archspec.model.budget import Limit, read_budget
from archspec.source.compose import MAX_BYTES, compose
from archspec.source.decode import decode
from archspec.source.diagnostic import SpecError
from archspec.source.expression import Scope
from archspec.source.report import Report
from archspec.source.span import Span


def limits_of(path: str, scope: Scope) -> Mapping[str, Limit]:
    """The limits in a YAML file; their expressions may use the sizes of `scope`.

    Raises SpecError where the file cannot be read or is no such mapping.
    """
    report = Report()
    text = _text(path, report)
    table = None if text is None else compose(text, path, report, "budget")
    found = {} if table is None else read_budget(table, scope, report)
    if report.diagnostics:
        raise SpecError(in_order(report.diagnostics))
    return found


def _text(path: str, report: Report) -> str | None:
    place = Span(path, 1, 1, 1, 2)
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        report.error("AR0001", f"cannot read `{path}`", place, reason[:1].lower() + reason[1:])
        return None
    return decode(data, path, "budget", report)
