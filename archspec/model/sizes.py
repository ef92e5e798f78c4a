"""`dims`: named sizes, which may be expressions over each other in any order."""

from archspec.components.fields import LARGEST, number
from archspec.components.written import plain
from archspec.source.compose import first_line, value_of
from archspec.source.expression import names
from archspec.source.fault import Fault
from archspec.source.names import check_size_name
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.tree import Entry, Scalar, Table, Tree, described

Values = dict[str, Sized | float | None]


def read_sizes(tree: Tree, under: str, report: Report, outer: Values | None = None) -> Values:
    """The values by name, None for one that was refused. `outer` has further names to use."""
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", f"`{under}` is a mapping of sizes", first_line(tree.span), label)
        return {}
    values: Values = {}
    for name, entry in tree:
        try:
            check_size_name(name)
        except Fault as fault:
            report.fault(fault, entry.key)
    for name in tree.entries:
        resolve(name, tree, values, [], outer or {}, under, report)
    return {name: values[name] for name in tree.entries}


def resolve(
    name: str,
    tree: Table,
    values: Values,
    waiting: list[str],
    outer: Values,
    under: str,
    report: Report,
) -> None:
    """Fills `values[name]`, sizes that it mentions first."""
    if name in values:
        return
    entry = tree.entries[name]
    if name in waiting:
        circular(waiting[waiting.index(name) :], tree, values, report)
        return
    for mentioned in mentions(entry):
        if mentioned in tree and mentioned not in values:
            if len(waiting) > 100:
                report.error("AR0603", "sizes depend on each other too deeply", entry.key)
                values[mentioned] = None
                continue
            resolve(mentioned, tree, values, [*waiting, name], outer, under, report)
    if name not in values:
        values[name] = read_size(name, entry, {**outer, **values}, under, report)


def mentions(entry: Entry) -> list[str]:
    return sorted(names(entry.value.text)) if isinstance(entry.value, Scalar) else []


def read_size(
    name: str, entry: Entry, scope: Values, under: str, report: Report
) -> Sized | float | None:
    """One size, computed with the names of `scope`; None after reporting why it is none."""
    tree = entry.value
    if not isinstance(tree, Scalar):
        label = f"this is {described(tree)}"
        report.error("AR0104", f"size `{name}` must be a number", first_line(tree.span), label)
        return None
    report.mark(f"{under}.{name}", "written", tree.span, tree.text)
    if value_of(tree) is None:
        report.error("AR0105", f"size `{name}` has no value", entry.key, "give it a number")
        return None
    written = plain(tree, scope)
    try:
        found = number(written)
        if isinstance(found, float) and not found.is_integer():
            return found
        if abs(found) > LARGEST:
            raise Fault("AR0603", "number is too large", f"at most {LARGEST}")
    except Fault as fault:
        if fault.message.startswith("must "):
            fault.message = f"size `{name}` {fault.message}"
        report.scalar_fault(fault, tree)
        return None
    return Sized(int(found), str(written) if isinstance(written, str) else None)


def circular(ring: list[str], tree: Table, values: Values, report: Report) -> None:
    first = ring[0]
    report.error(
        "AR0604",
        "sizes depend on each other",
        tree.entries[first].key,
        " → ".join([*ring, first]),
        others=tuple((tree.entries[name].key, "") for name in ring[1:]),
    )
    for name in ring:
        values[name] = None
