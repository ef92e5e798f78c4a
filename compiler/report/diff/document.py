"""A difference as a document for programs: exact integers, units in the key names."""

from collections.abc import Mapping
from typing import Any

from archspec.source.span import Span
from compiler.passes.setting import BYTES
from compiler.report.costs import CostReport
from compiler.report.diff.allowance import Allowance
from compiler.report.diff.change import Cause, Change
from compiler.report.diff.components import Bill
from compiler.report.diff.difference import Delta, Difference
from compiler.report.diff.totals import Total, headline
from compiler.report.formula import formula


def document(difference: Difference) -> dict[str, Any]:
    """Both sides, every total, every change, every component that costs otherwise."""
    first = {total.name for total in headline(difference.totals)}
    return {
        "same": difference.same,
        "before": _side(difference.before, difference.shown[0]),
        "after": _side(difference.after, difference.shown[1]),
        "precision": difference.after.precision,
        "setting": difference.after.setting.document(),
        "totals": {t.name: _total(difference, t, t.name in first) for t in difference.totals},
        "changes": [_change(difference, change) for change in difference.changes],
        "components": [_delta(difference, delta) for delta in difference.deltas],
        "growth": [_growth(difference, allowed) for allowed in difference.allowed],
        "budget": [verdict.document() for verdict in difference.after.verdicts],
    }


def _growth(difference: Difference, allowed: Allowance) -> Mapping[str, Any]:
    total = difference.total(allowed.metric)
    return allowed.document(total.before, total.after)


def _side(report: CostReport, shown: str) -> dict[str, Any]:
    return {
        "name": report.name,
        "spec": shown,
        "digest": report.digest,
        "set": list(report.settings),
        "at": dict(report.at),
    }


def _total(difference: Difference, total: Total, first: bool) -> dict[str, Any]:
    return {
        "before": total.before,
        "after": total.after,
        "change": total.after - total.before,
        "unit": total.unit,
        "headline": first,
        "formula_before": formula(total.formulas[0]),
        "formula_after": formula(total.formulas[1]),
        "length_power_before": total.grows[0],
        "length_power_after": total.grows[1],
        "causes": [_cause(difference, cause) for cause in total.causes],
    }


def _change(difference: Difference, change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "path_before": change.before_path,
        "path_after": change.after_path,
        "component": change.component,
        "field": change.field,
        "before": change.before,
        "after": change.after,
        "causes": [_cause(difference, cause) for cause in change.causes],
    }


def _cause(difference: Difference, cause: Cause) -> dict[str, Any]:
    return {
        "what": cause.what,
        "before": _place(cause.before, difference.before),
        "after": _place(cause.after, difference.after),
    }


def _place(span: Span | None, report: CostReport) -> dict[str, Any] | None:
    """A place; of a patch the number and the text, of a spec without a file the line alone."""
    if span is None:
        return None
    said = {"file": span.file, "line": span.line, "column": span.column}
    if span.file == "--set" and span.line <= len(report.settings):
        return {**said, "set": report.settings[span.line - 1]}
    return said


def _delta(difference: Difference, delta: Delta) -> dict[str, Any]:
    return {
        "component": delta.component,
        "path": delta.path,
        "before": _bill(delta.before, difference.before),
        "after": _bill(delta.after, difference.after),
        "rows": list(_rows(delta)),
        "causes": [_cause(difference, cause) for cause in delta.causes],
    }


def _bill(bill: Bill | None, report: CostReport) -> dict[str, Any] | None:
    if bill is None:
        return None
    size = BYTES[report.precision]
    return {
        **bill.numbers,
        "weights_bytes": bill.weights,
        "kv_bytes": size * bill.numbers["kv_elements"],
        "formulas": {name: formula(found) for name, found in bill.formulas.items()},
    }


def _rows(delta: Delta) -> list[dict[str, Any]]:
    """The operators of a component that cost otherwise."""
    old, new = ({} if bill is None else bill.slots for bill in (delta.before, delta.after))
    found = []
    for name in {**new, **old}:
        pair: tuple[Mapping[str, int] | None, ...] = tuple(
            dict(slots[name].numbers) if name in slots else None for slots in (old, new)
        )
        if pair[0] != pair[1]:
            slot = new.get(name) or old[name]
            found.append(
                {"row": name, "operator": slot.operator, "before": pair[0], "after": pair[1]}
            )
    return found
