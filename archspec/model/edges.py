"""Edges: that every one leads somewhere, that none runs in a circle, that its kind fits."""

from dataclasses import replace
from heapq import heappop, heappush

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.components.embed import Embed
from archspec.components.pool import Pool
from archspec.components.unembed import Unembed
from archspec.model.finals import check_recurrence, node_of, recurrent_edges
from archspec.model.graph import attentions
from archspec.model.input import Input, Kind
from archspec.model.packing import check_packing
from archspec.model.spec import Node
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean

Graph = dict[str, Node]
Inputs = dict[str, Input]
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
    found = [(edge, place(report, f"{node.name}.in", node.span)) for edge in node.inputs]
    for path, attention in attentions(node):
        if attention.source != "self":
            found.append((attention.source, place(report, f"{path}.source", node.span)))
    return found + recurrent_edges(node, report)


def place(report: Report, path: str, otherwise: Span) -> Span:
    mark = report.marks.get(path)
    return otherwise if mark is None else mark.span


def check_kinds(node: Node, names: list[str], inputs: Inputs, report: Report) -> None:
    """That each input is read by what can read it, and `embed` and `patches` read inputs."""
    word = node.component.word if isinstance(node.component, Component) else "stack"
    span = place(report, f"{node.name}.in", node.span)
    for edge in node.inputs:
        if edge in inputs:
            check_reader(word, inputs[edge], span, report)
        elif word in WANTED and edge in names:
            message = f"`{word}` reads an input of `{WANTED[word]}`"
            report.error("AR0407", message, span, f"`{edge}` is a node")
    for path, attention in attentions(node):
        if attention.source in inputs:
            where = place(report, f"{path}.source", node.span)
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
    span = place(report, f"{path}.mask", report.marks[path.split(".")[0]].span)
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
    span = place(report, f"{path}.prefix", report.marks[path.split(".")[0]].span)
    report.error(
        "AR0220",
        f"`prefix` cannot be `{edge}`",
        span,
        did_you_mean(edge, counts) or "no input of this name is a `count`",
        help="it names an input of whole numbers, one a row: `inputs: {given: count}`",
    )


def check_tables(
    node: Node, part: Component, graph: Graph, names: list[str], inputs: Inputs, report: Report
) -> None:
    span = place(report, f"{node.name}.in", node.span)
    if isinstance(part, Unembed) and part.tie is not None:
        check_table(part.tie, place(report, f"{node.name}.unembed.tie", span), graph, names, report)
    if isinstance(part, Embed) and part.share is not None:
        where = place(report, f"{node.name}.embed.share", span)
        check_table(part.share, where, graph, names, report)
    if isinstance(part, Embed) and part.share is None:
        absent = [name for name in ("vocab", "dim") if getattr(part, name) is None]
        if absent:
            message = f"`embed` lacks {' and '.join(f'`{name}`' for name in absent)}"
            report.error(
                "AR0101",
                message,
                place(report, f"{node.name}.embed", span),
                "required here",
                help="or `share: NAME` for another embedding's table",
            )
    if isinstance(part, Pool) and part.ids is not None:
        found = inputs.get(part.ids)
        if found is None or found.kind != "tokens":
            hint = did_you_mean(part.ids, [n for n, i in inputs.items() if i.kind == "tokens"])
            where = place(report, f"{node.name}.pool.eos.ids", span)
            report.error("AR0407", "`ids` names an input of `tokens`", where, hint)


def check_table(edge: str, span: Span, graph: Graph, names: list[str], report: Report) -> None:
    embeds = [name for name, node in graph.items() if isinstance(node.component, Embed)]
    if edge in embeds or (edge in names and edge not in graph):
        return
    hint = did_you_mean(edge, embeds)
    if edge in names:
        report.error(
            "AR0407", f"`{edge}` is no `embed`", span, hint or "only an `embed` has a table"
        )
    else:
        report.error("AR0401", f"no node `{edge}`", span, hint)


def ordered(graph: Graph, inputs: Inputs, report: Report) -> Graph:
    """The nodes in an order in which each stands after all it reads; as written where possible."""
    place = {name: k for k, name in enumerate(graph)}
    waits = {
        name: {need for need in needs(node, report) if need in graph and need not in inputs}
        for name, node in graph.items()
    }
    readers: dict[str, list[str]] = {name: [] for name in graph}
    for name, missing in waits.items():
        for need in missing:
            readers[need].append(name)
    ready = [place[name] for name, missing in waits.items() if not missing]
    names = list(graph)
    done: Graph = {}
    while ready:
        name = names[heappop(ready)]
        done[name] = graph[name]
        for reader in readers[name]:
            waits[reader].discard(name)
            if not waits[reader]:
                heappush(ready, place[reader])
    waiting = {name: sorted(waits[name], key=names.index) for name in names if name not in done}
    if waiting:
        report_circle(waiting, graph, report)
        return graph
    return done


def needs(node: Node, report: Report) -> set[str]:
    found = {node_of(edge) for edge, _ in edges(node, report)}
    part = node.component
    if isinstance(part, Embed) and part.share is not None:
        found.add(part.share)
    if isinstance(part, Unembed) and part.tie is not None:
        found.add(part.tie)
    return found


def report_circle(waiting: dict[str, list[str]], graph: Graph, report: Report) -> None:
    """One circle among the nodes that wait, from its first node in the text."""
    ring: dict[str, None] = {}
    name = next(iter(waiting))
    while name not in ring:
        ring[name] = None
        name = waiting[name][0]
    found = list(ring)
    found = found[found.index(name) :]
    first = found.index(min(found, key=list(graph).index)) if len(found) < 100 else 0
    found = found[first:] + found[:first]
    shown = [*found[:8], "..."] if len(found) > 9 else [*found, found[0]]
    report.error(
        "AR0403",
        "nodes wait for each other",
        graph[found[0]].span,
        " needs ".join(f"`{node}`" for node in shown),
        others=tuple((graph[node].span, "") for node in found[1:9]),
        help="a value can only be computed from values above it",
    )


def with_tables(graph: Graph) -> Graph:
    """Shared and tied tables' owners and sizes filled in; the graph is free of errors."""
    filled = dict(graph)
    for name, node in graph.items():
        part = node.component
        if isinstance(part, Embed) and part.share is not None:
            owner = owner_of(part.share, graph)
            sizes = {"share": owner.name, **sizes_of(owner)}
            filled[name] = replace(node, component=part.model_copy(update=sizes))
        if isinstance(part, Unembed) and part.tie is not None:
            owner = owner_of(part.tie, graph)
            sizes = {"tie": owner.name, "vocab": sizes_of(owner)["vocab"]}
            filled[name] = replace(node, component=part.model_copy(update=sizes))
    return filled


def owner_of(name: str, graph: Graph) -> Node:
    node = graph[name]
    while isinstance(node.component, Embed) and node.component.share is not None:
        node = graph[node.component.share]
    return node


def sizes_of(owner: Node) -> dict[str, Sized | None]:
    assert isinstance(owner.component, Embed)
    return {"vocab": owner.component.vocab, "dim": owner.component.dim}
