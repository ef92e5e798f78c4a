"""From a mapping in a spec to a component: every finding at once, each at its key or value."""

from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from archspec.components.component import Component
from archspec.components.findings import (
    report_conflict,
    report_invalid,
    report_missing,
    report_null,
    report_unknown,
)
from archspec.components.keys import known, nested
from archspec.components.written import plain
from archspec.source.compose import first_line, value_of
from archspec.source.expression import Scope
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Scalar, Sequence, Table, Tree, described, is_none

C = TypeVar("C", bound=Component)


def build(
    kind: type[C], tree: Tree, key: Span, path: str, scope: Scope, report: Report
) -> C | None:
    """The component written as `tree`, whose key stands at `key`; None after reporting why not."""
    before = len(report.diagnostics)
    table = kind.unfold(tree, report)
    if table is None:
        return None
    data: dict[str, Any] = {}
    unknown: list[str] = []
    for name, entry in table:
        if name in kind.unwritten and not (isinstance(tree, Table) and name in tree):
            data[name] = plain(entry.value, scope)
        elif name not in known(kind):
            unknown.append(name)
            report_unknown(kind, name, entry.key, report)
        elif not dropped(kind, name, entry.value):
            read_field(kind, name, table, path, scope, report, data)
    report_missing(kind, data, unknown, key, report)
    if len(report.diagnostics) > before:
        validate(kind, data, table, key, report, partial=True)
        return None
    built = validate(kind, data, table, key, report)
    if built is None:
        return None
    found = list(built.conflicts())
    for conflict in found:
        report_conflict(conflict, table, key, report)
    for name in known(kind):
        report.mark(f"{path}.{name}", "default", key)
    return None if found else built


def dropped(kind: type[Component], name: str, tree: Tree) -> bool:
    """`none` takes a setting back to its default, unless `none` is a value of the field itself."""
    field = kind.model_fields[known(kind)[name]]
    return is_none(tree) and name not in kind.none_says and not field.is_required()


def read_field(
    kind: type[Component],
    name: str,
    table: Table,
    path: str,
    scope: Scope,
    report: Report,
    data: dict[str, Any],
) -> None:
    entry = table.entries[name]
    inner = nested(kind, known(kind)[name])
    if null(entry.value):
        required = kind.model_fields[known(kind)[name]].is_required()
        report_null(name, entry.key, report, required)
        data[name] = PydanticUndefined
        return
    mark(report, f"{path}.{name}", entry.key, entry.value)
    if not inner:
        data[name] = plain(entry.value, scope)
        return
    chosen = inner[0] if len(inner) == 1 else choose(inner, entry.value, name, report)
    value = chosen and build(chosen, entry.value, entry.key, f"{path}.{name}", scope, report)
    data[name] = PydanticUndefined if value is None else value


def choose(
    kinds: tuple[type[Component], ...], tree: Tree, name: str, report: Report
) -> type[Component] | None:
    """Which of several components a one-of field holds: the one whose word is written."""
    words = {kind.word: kind for kind in kinds}
    written = [word for word in words if isinstance(tree, Table) and word in tree]
    if len(written) == 1:
        return words[written[0]]
    label = f"this is {described(tree)}" if not isinstance(tree, Table) else ""
    if isinstance(tree, Table) and not written and tree.entries:
        first = next(iter(tree.entries))
        if first in kinds[0].later:
            report_unknown(kinds[0], first, tree.key(first), report)
            return None
        label = did_you_mean(first, words)
    place = first_line(tree.span)
    if isinstance(tree, Table) and len(written) > 1:
        _, second, *_ = [key for key in tree.entries if key in words]
        place, label = tree.key(second), "two at once"
    report.error("AR0206", f"`{name}` is one of {listed(words)}", place, label)
    return None


def mark(report: Report, path: str, key: Span, tree: Tree) -> None:
    if isinstance(tree, Scalar):
        report.mark(path, "written", tree.span, tree.text)
        return
    report.mark(path, "written", first_line(tree.span) if isinstance(tree, Sequence) else key)
    if isinstance(tree, Table):
        for name, entry in tree:
            mark(report, f"{path}.{name}", entry.key, entry.value)


def null(tree: Tree) -> bool:
    return isinstance(tree, Scalar) and value_of(tree) is None


def validate(
    kind: type[C],
    data: dict[str, Any],
    table: Table,
    key: Span,
    report: Report,
    partial: bool = False,
) -> C | None:
    try:
        return kind.model_validate({k: v for k, v in data.items() if v is not PydanticUndefined})
    except ValidationError as error:
        for found in error.errors(include_url=False):
            if found["type"] != "missing" and written_here(found["loc"], table):
                report_invalid(kind, found, table, key, report)
    assert partial or len(report.diagnostics) > 0
    return None


def written_here(loc: tuple[str | int, ...], table: Table) -> bool:
    """Whether a finding is about a key of the spec, not about a value derived from one."""
    return not loc or str(loc[0]) in table
