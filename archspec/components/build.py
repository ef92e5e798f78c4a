"""From a mapping in a spec to a component: every finding at once, each at its key or value."""

from functools import cache
from typing import Any, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from archspec.components.component import Component, Conflict, written_name
from archspec.components.written import plain
from archspec.source.compose import first_line, value_of
from archspec.source.expression import Scope
from archspec.source.fault import Fault
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed, nearest
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


@cache
def known(kind: type[Component]) -> dict[str, str]:
    """Written names of a component's fields, with the names in Python."""
    names = (name for name in kind.model_fields if name not in kind.unwritten)
    return {written_name(kind, name): name for name in names}


@cache
def nested(kind: type[Component], field: str) -> tuple[type[Component], ...]:
    """The components that a field holds, when it holds components."""
    annotation = kind.model_fields[field].annotation
    return tuple(
        part
        for part in (annotation, *get_args(annotation))
        if isinstance(part, type) and issubclass(part, Component)
    )


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


def report_null(name: str, key: Span, report: Report, required: bool = False) -> None:
    label = "required here" if required else "write `none` for absent"
    report.error("AR0105", f"`{name}` has no value", key, label)


def report_unknown(kind: type[Component], name: str, key: Span, report: Report) -> None:
    if name in kind.later:
        report.error(
            "AR0103",
            f"`{name}` is part of the language but not of this version",
            key,
            "not yet",
            help=f"leave `{name}` out; `archc explain {kind.word}` lists what there is",
        )
        return
    words = [*known(kind), *sorted(kind.later)]
    there = f"`{kind.word}` knows {listed(known(kind), 'and')}" if known(kind) else ""
    hint = did_you_mean(name, words)
    report.error("AR0102", f"unknown key `{name}`", key, hint, help="" if hint else there)


def report_missing(
    kind: type[Component], data: dict[str, Any], unknown: list[str], key: Span, report: Report
) -> None:
    """One finding for all required keys that are absent and were not merely misspelt."""
    absent = [
        name
        for name, field in known(kind).items()
        if kind.model_fields[field].is_required() and name not in data
    ]
    meant = {nearest(name, known(kind)) for name in unknown}
    absent = [name for name in absent if name not in meant]
    if absent:
        keys = "keys" if len(absent) > 1 else "key"
        report.error(
            "AR0101",
            f"`{kind.word}` lacks the {keys} {listed(absent, 'and')}",
            key,
            "required here",
        )


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


def report_invalid(
    kind: type[Component], found: Any, table: Table, key: Span, report: Report
) -> None:
    loc = found["loc"]
    name = str(loc[0]) if loc else ""
    tree = locate(table, loc)
    fault = found.get("ctx", {}).get("error")
    if not isinstance(fault, Fault):
        fault = translated(kind, name, found)
    elif fault.message.startswith("must "):
        fault.message = f"`{name}` {fault.message}"
    if isinstance(tree, Scalar):
        report.scalar_fault(fault, tree)
    else:
        report.fault(fault, key if tree is None else first_line(tree.span))


def locate(table: Table, loc: tuple[str | int, ...]) -> Tree | None:
    """The tree at pydantic's location; parts that are no keys (union tags) are walked past."""
    tree: Tree | None = table.get(str(loc[0])) if loc else None
    for part in loc[1:]:
        if isinstance(tree, Table) and str(part) in tree:
            tree = tree.get(str(part))
        elif isinstance(tree, Sequence) and isinstance(part, int) and part < len(tree.items):
            tree = tree.items[part]
    return tree


def translated(kind: type[Component], name: str, found: Any) -> Fault:
    """Pydantic's finding in our words."""
    value = found.get("input")
    if found["type"] == "literal_error":
        words = allowed(kind, name)
        if isinstance(value, str):
            return Fault(
                "AR0201",
                f"`{name}` cannot be `{value}`",
                did_you_mean(str(value), words),
                help=f"use {listed(words)}",
            )
        return Fault("AR0201", f"`{name}` is one of {listed(words)}")
    return Fault("AR0104", f"`{name}` has a value of the wrong kind", found["msg"].lower())


def allowed(kind: type[Component], name: str) -> list[str]:
    annotation = kind.model_fields[known(kind)[name]].annotation
    words: list[str] = []
    for part in (annotation, *get_args(annotation)):
        words += [str(word) for word in get_args(part) if isinstance(word, str)]
    return words or [str(word) for word in get_args(annotation) if isinstance(word, str)]


def report_conflict(conflict: Conflict, table: Table, key: Span, report: Report) -> None:
    def place(name: str) -> Span:
        tree, span = written(name)
        return tree.span if isinstance(tree, Scalar) else span

    def written(name: str) -> tuple[Tree | None, Span]:
        """What stands at a dotted name, and where the last key of it that is there stands."""
        tree: Tree | None = table
        span = key
        for part in name.split("."):
            if not isinstance(tree, Table) or part not in tree:
                return None, span
            span = tree.key(part)
            tree = tree.get(part)
        return tree, span

    others = tuple((place(name), label) for name, label in conflict.others if written(name)[0])
    report.error(
        conflict.code,
        conflict.message,
        place(conflict.at),
        conflict.label,
        others=others,
        help=conflict.help,
    )
