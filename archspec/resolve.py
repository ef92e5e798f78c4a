"""From the merged and patched text to a spec with everything explicit."""

from archspec.components.build import null
from archspec.components.findings import report_null
from archspec.explained import explain_resolved
from archspec.model.blocks import read_blocks
from archspec.model.budget import read_budget
from archspec.model.defaults import read_defaults
from archspec.model.edges import check_edges
from archspec.model.graph import read_graph, read_outputs
from archspec.model.inputs import read_inputs
from archspec.model.lengths import with_lengths
from archspec.model.order import ordered
from archspec.model.packing import with_segments
from archspec.model.sizes import Values, read_sizes
from archspec.model.spec import Node, Spec
from archspec.model.surroundings import Surroundings
from archspec.model.tables import with_tables
from archspec.model.weights import read_weights
from archspec.model.words import TOP_KEYS
from archspec.source.compose import first_line, value_of
from archspec.source.report import Report
from archspec.source.suggest import listed, nearest
from archspec.source.tree import Scalar, Table, Tree, described

__all__ = ["explain_resolved", "resolve"]

REQUIRED = ("name", "inputs", "graph")


def resolve(
    tree: Table, path: str, digest: str, files: tuple[str, ...], report: Report
) -> Spec | None:
    """The spec, or None with every reason in `report`."""
    check_top(tree, report)
    tree = tree.drop(*(key for key, entry in tree if null(entry.value)))
    sizes = tree.get("dims")
    scope: Values = {} if sizes is None else read_sizes(sizes, "dims", report)
    inputs = read_inputs(tree.entries["inputs"].value, scope, report) if "inputs" in tree else {}
    defaults = read_defaults(tree.get("defaults"), scope, report)
    blocks = read_blocks(tree.get("blocks"), scope, report)
    budget = read_budget(tree.get("budget"), scope, report)
    weights = read_weights(tree.entries.get("weights"), report)
    name, about = read_text(tree, "name", report), read_text(tree, "about", report)
    written = tree.get("graph")
    graph: dict[str, Node] = {}
    complete = False
    if written is not None:
        around = Surroundings(scope, defaults, report)
        graph, complete = read_graph(written, blocks, around)
        names = list(written.entries) if isinstance(written, Table) else []
        mark_edges(written, report)
        given = tree.get("inputs")
        edges = [*names, *(given.entries if isinstance(given, Table) else ())]
        check_edges(graph, names, inputs, edges if given else None, report)
        graph = ordered(graph, inputs, report) if complete else graph
    last = list(written.entries)[-1:] if isinstance(written, Table) else []
    outputs = read_outputs(tree.get("outputs"), graph, complete, report)
    if tree.get("outputs") is None:
        outputs = tuple(last)
    if report.diagnostics or not complete:
        return None
    return Spec(
        name=name,
        about=about,
        path=path,
        digest=digest,
        dims={key: value for key, value in scope.items() if value is not None},
        inputs=with_lengths(inputs, graph, report),
        graph=with_segments(with_tables(graph), inputs),
        outputs=outputs,
        budget=budget,
        weights=weights,
        defaults=defaults,
        files=files,
        span=tree.key("name"),
        marks=report.marks,
    )


def check_top(tree: Table, report: Report) -> None:
    strange = [key for key in tree.entries if key not in TOP_KEYS]
    meant = {key: nearest(key, TOP_KEYS) for key in strange}
    for key, near in meant.items():
        hint = f"did you mean `{near}`?" if near else ""
        there = "" if hint else f"a spec knows {listed(TOP_KEYS, 'and')}"
        report.error("AR0102", f"unknown key `{key}`", tree.key(key), hint, help=there)
    absent = [key for key in REQUIRED if key not in tree and key not in meant.values()]
    if absent:
        keys = "keys" if len(absent) > 1 else "key"
        start = next(iter(tree.entries.values())).key if tree.entries else first_line(tree.span)
        report.error(
            "AR0101",
            f"the spec lacks the {keys} {listed(absent, 'and')}",
            start,
            "required beside this",
        )
    for key, entry in tree:
        if key in TOP_KEYS and null(entry.value):
            report_null(key, entry.key, report, required=key in REQUIRED)
    version = tree.get("archspec")
    if version is not None and not (isinstance(version, Scalar) and value_of(version) == 1):
        place = first_line(version.span)
        report.error(
            "AR0013",
            "this is archspec 1",
            place,
            f"this is {described(version)}",
            help="write `archspec: 1` or leave the line out",
        )


def read_text(tree: Table, key: str, report: Report) -> str:
    value: Tree | None = tree.get(key)
    if value is None:
        return ""
    report.mark(key, "written", first_line(value.span))
    limit = 200 if key == "name" else 20_000
    if not isinstance(value, Scalar):
        label = f"this is {described(value)}"
        report.error("AR0104", f"`{key}` is text", first_line(value.span), label)
        return ""
    if len(value.text) > limit:
        report.error("AR0202", f"`{key}` is too long", first_line(value.span), f"at most {limit}")
    return value.text


def mark_edges(written: Tree, report: Report) -> None:
    for name, entry in written if isinstance(written, Table) else ():
        if isinstance(entry.value, Table) and (edge := entry.value.get("in")) is not None:
            report.mark(f"{name}.in", "written", first_line(edge.span))
