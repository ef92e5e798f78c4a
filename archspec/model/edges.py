"""Edges: that every one leads somewhere, and that its kind fits."""

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.model.finals import check_recurrence, node_of, recurrent_edges
from archspec.model.graph import attentions
from archspec.model.input import Input, Inputs, Kind
from archspec.model.packing import check_packing
from archspec.model.spec import Graph, Node
from archspec.model.tables import check_tables
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean

WANTED: dict[str, Kind] = {"embed": "tokens", "patches": "image"}
READERS: dict[Kind, tuple[str, ...]] = {
    "tokens": ("embed",),
    "image": ("patches", "conv"),
    "frames": ("conv_stem",),
    "mask": (),
    "count": (),
}
FIRST: dict[Kind, str] = {
    "tokens": "ids become vectors in an `embed`",
    "image": "an image becomes a sequence in `patches`",
    "frames": "frames become a sequence in a `conv_stem`",
    "mask": "a mask is named by `mask:` of an attention",
    "count": "a count is named by `prefix:` of an attention",
}


def check_edges(
    graph: Graph, names: list[str], inputs: Inputs, known: list[str] | None, report: Report
) -> None:
    """Unknown edges, and tables and masks that are none.

    `names` are all nodes and `known` all edges, unreadable ones too; None when nobody can know.
    """
    for name in names:
        if name in inputs:
            others = ((inputs[name].span, "an input"),)
            place = report.marks[name].span
            report.error("AR0405", f"name `{name}` is taken", place, "a node", others=others)
    for node in graph.values():
        for edge, span in edges(node, report):
            if known is not None and node_of(edge) not in known:
                hint = did_you_mean(edge, known)
                report.error("AR0401", f"no node or input `{edge}`", span, hint)
        check_kinds(node, names, inputs, report)
        check_recurrence(node, graph, names, inputs, report)
        if isinstance(node.component, Component):
            check_tables(node, node.component, graph, names, inputs, report)
        for path, attention in attentions(node):
            check_mask(path, attention, inputs, report)
            check_prefix(path, attention, inputs, report)
    check_packing(graph, inputs, report)


def edges(node: Node, report: Report) -> list[tuple[str, Span]]:
    """The values that must be there before a node can be computed, and where they are named."""
    found = [(edge, report.place(f"{node.name}.in", node.span)) for edge in node.inputs]
    for path, attention in attentions(node):
        if attention.source != "self":
            found.append((attention.source, report.place(f"{path}.source", node.span)))
    return found + recurrent_edges(node, report)


def check_kinds(node: Node, names: list[str], inputs: Inputs, report: Report) -> None:
    """That each input is read by what can read it, and `embed` and `patches` read inputs."""
    word = node.component.word if isinstance(node.component, Component) else "stack"
    span = report.place(f"{node.name}.in", node.span)
    for edge in node.inputs:
        if edge in inputs:
            check_reader(word, inputs[edge], span, report)
        elif word in WANTED and edge in names:
            message = f"`{word}` reads an input of `{WANTED[word]}`"
            report.error("AR0407", message, span, f"`{edge}` is a node")
    for path, attention in attentions(node):
        if attention.source in inputs:
            where = report.place(f"{path}.source", node.span)
            check_reader("attention", inputs[attention.source], where, report)


def check_reader(word: str, given: Input, span: Span, report: Report) -> None:
    readers = READERS.get(given.kind)
    if readers is None and word not in WANTED:
        return
    if readers is not None and word in readers:
        return
    report.error(
        "AR0407",
        f"`{word}` cannot read `{given.kind}`",
        span,
        f"`{given.name}` is `{given.kind}`",
        help=f"it reads `{WANTED[word]}`" if word in WANTED else FIRST.get(given.kind, ""),
    )


def check_mask(path: str, attention: Attention, inputs: Inputs, report: Report) -> None:
    edge = attention.mask_edge
    if edge is None or (edge in inputs and inputs[edge].kind == "mask"):
        return
    masks = [name for name, one in inputs.items() if one.kind == "mask"]
    hint = did_you_mean(edge, ["full", "causal", *masks])
    span = report.place(f"{path}.mask", report.marks[path.split(".")[0]].span)
    report.error(
        "AR0201",
        f"`mask` cannot be `{edge}`",
        span,
        hint,
        help="use `full`, `causal` or the name of a `mask` input",
    )


def check_prefix(path: str, attention: Attention, inputs: Inputs, report: Report) -> None:
    edge = attention.prefix
    if edge is None or (edge in inputs and inputs[edge].kind == "count"):
        return
    counts = [name for name, one in inputs.items() if one.kind == "count"]
    span = report.place(f"{path}.prefix", report.marks[path.split(".")[0]].span)
    report.error(
        "AR0220",
        f"`prefix` cannot be `{edge}`",
        span,
        did_you_mean(edge, counts) or "no input of this name is a `count`",
        help="it names an input of whole numbers, one a row: `inputs: {given: count}`",
    )
