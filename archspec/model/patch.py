"""Patches: a dotted path and the value that is put there, for `cycle`, `at`, `set` and `--set`."""

from collections.abc import Iterable, Iterator

from archspec.model.catalog import COMPONENTS, LATER, mixes
from archspec.model.words import NODE_KEYS, SUBLAYER_KEYS, TOP_KEYS
from archspec.source.compose import first_line
from archspec.source.frozen import Frozen
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, existing
from archspec.source.tree import Entry, Table, Tree, described, is_none

# What a mapping on the way is: its keys are names (graph, layer, …) or words of the language.
NAMES = {"graph": "node", "layer": "sub-layer", "parallel": "mixer", "inputs": "input"}
NAMES |= {"dims": "size", "blocks": "block"}
FIXED_KEYS = ("extends", "set", "archspec")
MAX_STEPS = 20
BELOW = {
    ("spec", "graph"): "graph",
    ("spec", "inputs"): "inputs",
    ("spec", "dims"): "dims",
    ("spec", "blocks"): "blocks",
    ("block", "layer"): "layer",
    ("node", "stack"): "stack",
    ("stack", "layer"): "layer",
    ("sub-layer", "parallel"): "parallel",
}
OWN_KEYS = {
    "node": NODE_KEYS,
    "sub-layer": SUBLAYER_KEYS,
    "mixer": ("norm",),
    "layer": ("use", "with", "set"),
}


class Step(Frozen):
    """One part of a path with its place."""

    name: str
    span: Span


class Lost(Exception):  # noqa: N818  # a way out, no error of ours
    """The path leads nowhere; the reason is in the report."""


def steps(path: str, span: Span) -> list[Step]:
    """The parts of a dotted path; numbers with a fraction are no paths and are not meant here."""
    found: list[Step] = []
    start = 0
    fits = span.line == span.end_line and span.end_column - span.column == len(path)
    for name in path.split("."):
        part = span.part(start, start + len(name)) if fits else span
        found.append(Step(name, part))
        start += len(name) + 1
    return found


def apply_to_spec(spec: Table, path: str, entry: Entry, report: Report) -> Table:
    """A spec with the value of `entry` at `path`; unchanged after reporting an unknown path.

    A bare name of `dims` means that size, then come the graph's nodes, then the top-level keys.
    """
    way = steps(path, entry.key)
    if len(way) > MAX_STEPS:
        report.error("AR0501", "the path is too long", entry.key, f"at most {MAX_STEPS} steps")
        return spec
    dims, graph = spec.get("dims"), spec.get("graph")
    if len(way) == 1 and isinstance(dims, Table) and way[0].name in dims:
        way.insert(0, Step("dims", way[0].span))
    elif isinstance(graph, Table) and way[0].name in graph:
        way.insert(0, Step("graph", way[0].span))
    elif way[0].name in FIXED_KEYS:
        label = "it has its meaning before any patch"
        report.error("AR0501", f"`{way[0].name}` cannot be patched", way[0].span, label)
        return spec
    elif way[0].name not in TOP_KEYS:
        nodes = list(graph.entries) if isinstance(graph, Table) else []
        sizes = list(dims.entries) if isinstance(dims, Table) else []
        meant = inside_a_layer(graph, way[0].name)
        lost(way[0], (*nodes, *sizes, *TOP_KEYS), "spec", report, meant)
        return spec
    return patched(spec, way, entry.value, "spec", report)


def apply_to_layer(layer: Table, path: str, entry: Entry, report: Report) -> Table:
    """A layer with the value of `entry` at `path`, which starts at a sub-layer's name."""
    way = steps(path, entry.key)
    if len(way) > MAX_STEPS:
        report.error("AR0501", "the path is too long", entry.key, f"at most {MAX_STEPS} steps")
        return layer
    return patched(layer, way, entry.value, "layer", report)


def patched(table: Table, way: list[Step], value: Tree, kind: str, report: Report) -> Table:
    try:
        return put(table, way, value, kind, report)
    except Lost:
        return table


def put(table: Table, way: list[Step], value: Tree, kind: str, report: Report) -> Table:
    step, rest = way[0], way[1:]
    if kind == "layer" and "use" in table and step.name not in OWN_KEYS["layer"]:
        return later_in_block(table, way, value)
    inner = word_in(table, kind)
    if step.name not in table and inner and step.name not in OWN_KEYS.get(kind, ()):
        return into(table, inner, way, value, kind, report)
    is_use = kind == "layer" and "use" in table
    if step.name not in table and kind in NAMES and not is_use:
        return added(table, way, value, kind, report)
    if rest:
        return into(table, step.name, rest, value, kind, report, step.span)
    if is_none(value) and kind in NAMES:
        return table.drop(step.name)
    return table.put(step.name, Entry(step.span, value))


def into(
    table: Table,
    name: str,
    way: list[Step],
    value: Tree,
    kind: str,
    report: Report,
    key: Span | None = None,
) -> Table:
    """The path goes on below `name`, which is made when it is absent."""
    key = key or way[0].span
    entry = table.entries.get(name, Entry(key, Table({}, key)))
    below = child(kind, name)
    if is_none(entry.value):
        entry = Entry(key, Table({}, key))
    if not isinstance(entry.value, Table):
        report.error(
            "AR0508",
            f"the path ends at `{name}`",
            way[0].span,
            f"`{name}` is {described(entry.value)}",
            others=((first_line(entry.value.span), "here"),),
            help=f"give `{name}` a mapping as a whole",
        )
        raise Lost
    return table.put(name, Entry(entry.key, put(entry.value, way, value, below, report)))


def child(kind: str, name: str) -> str:
    if (kind, name) in BELOW:
        return BELOW[kind, name]
    if kind in ("graph", "layer", "parallel", "blocks"):
        return NAMES[kind]
    return "settings"


def word_in(table: Table, kind: str) -> str | None:
    """The component word of a node or sub-layer, which a path may leave out."""
    for word in table.entries:
        if kind == "node" and (word in ("stack", *LATER) or word in COMPONENTS):
            return word
        if kind in ("sub-layer", "mixer") and (word in ("parallel", *LATER) or mixes(word)):
            return word
    return None


def later_in_block(table: Table, way: list[Step], value: Tree) -> Table:
    """A patch of a layer that is still `{use: …}` joins the patches of that use."""
    path = ".".join(step.name for step in way)
    first, last = way[0].span, way[-1].span
    span = Span(first.file, first.line, first.column, last.end_line, last.end_column)
    patches = table.get("set")
    known = patches if isinstance(patches, Table) else Table({}, span)
    joined = known.drop(path).put(path, Entry(span, value))
    return table.put("set", Entry(table.key("set") if "set" in table else span, joined))


def added(table: Table, way: list[Step], value: Tree, kind: str, report: Report) -> Table:
    """A name that is not there: a new sub-layer comes last, anything else is unknown."""
    step = way[0]
    if (
        kind == "layer"
        and len(way) == 1
        and isinstance(value, Table)
        and word_in(value, "sub-layer")
    ):
        return table.put(step.name, Entry(step.span, value))
    lost(step, table.entries, NAMES[kind], report)
    raise Lost


def inside_a_layer(graph: Tree | None, name: str) -> str:
    """The path of a sub-layer by its name alone, or nothing."""
    for node, entry in graph if isinstance(graph, Table) else ():
        stack = entry.value.get("stack") if isinstance(entry.value, Table) else None
        layer = stack.get("layer") if isinstance(stack, Table) else None
        if isinstance(layer, Table) and name in layer:
            return f"{node}.layer.{name}"
    return ""


def lost(step: Step, known: Iterable[str], what: str, report: Report, meant: str = "") -> None:
    names = list(known)
    hint = f"did you mean `{meant}`?" if meant else did_you_mean(step.name, names)
    there = "" if hint else existing(names, "name" if what == "spec" else what)
    place = "in this spec" if what == "spec" else f"among the {plural(what)}"
    report.error(
        "AR0501", f"no `{step.name}` {place}", step.span, hint or "unknown path", help=there
    )


def plural(what: str) -> str:
    return {"sub-layer": "sub-layers", "mixer": "mixers", "size": "sizes"}.get(what, f"{what}s")


def patches(tree: Tree, report: Report, what: str) -> Iterator[tuple[str, Entry]]:
    """The paths and values of a patch mapping."""
    if isinstance(tree, Table):
        yield from tree
        return
    report.error(
        "AR0104",
        f"{what} is a mapping of paths to values",
        first_line(tree.span),
        f"this is {described(tree)}",
    )
