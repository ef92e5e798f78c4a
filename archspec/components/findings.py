"""What is wrong with a component as it is written, each at its key or value."""

from typing import Any

from archspec.components.component import Component, Conflict
from archspec.components.keys import allowed, known
from archspec.source.compose import first_line
from archspec.source.fault import Fault
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed, nearest
from archspec.source.tree import Scalar, Sequence, Table, Tree


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
