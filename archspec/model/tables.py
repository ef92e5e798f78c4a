"""Tables that nodes share or are tied to: that there are such, and their sizes."""

from dataclasses import replace

from archspec.components.component import Component
from archspec.components.embed import Embed
from archspec.components.pool import Pool
from archspec.components.unembed import Unembed
from archspec.model.input import Inputs
from archspec.model.spec import Graph, Node
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean


def check_tables(
    node: Node, part: Component, graph: Graph, names: list[str], inputs: Inputs, report: Report
) -> None:
    span = report.place(f"{node.name}.in", node.span)
    if isinstance(part, Unembed) and part.tie is not None:
        check_table(part.tie, report.place(f"{node.name}.unembed.tie", span), graph, names, report)
    if isinstance(part, Embed) and part.share is not None:
        where = report.place(f"{node.name}.embed.share", span)
        check_table(part.share, where, graph, names, report)
    if isinstance(part, Embed) and part.share is None:
        absent = [name for name in ("vocab", "dim") if getattr(part, name) is None]
        if absent:
            message = f"`embed` lacks {' and '.join(f'`{name}`' for name in absent)}"
            report.error(
                "AR0101",
                message,
                report.place(f"{node.name}.embed", span),
                "required here",
                help="or `share: NAME` for another embedding's table",
            )
    if isinstance(part, Pool) and part.ids is not None:
        found = inputs.get(part.ids)
        if found is None or found.kind != "tokens":
            hint = did_you_mean(part.ids, [n for n, i in inputs.items() if i.kind == "tokens"])
            where = report.place(f"{node.name}.pool.eos.ids", span)
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
