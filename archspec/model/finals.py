"""Edges of recurrences: final states by name, what a decoder starts from and looks at."""

import re

from archspec.components.rnn import Rnn
from archspec.model.input import Inputs
from archspec.model.spec import Graph, Node
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean

FINAL = re.compile(r"(?P<node>\w+)\.final(?:\.(?P<way>fwd|bwd))?\Z")


def node_of(edge: str) -> str:
    """The node that an edge leaves: `memory` for `memory.final.bwd`, otherwise the edge itself."""
    found = FINAL.match(edge)
    return edge if found is None else found["node"]


def way_of(edge: str) -> str:
    """`fwd`, `bwd`, or nothing where both ways (or the only one) are meant."""
    found = FINAL.match(edge)
    return (found["way"] or "") if found is not None else ""


def recurrent_edges(node: Node, report: Report) -> list[tuple[str, Span]]:
    """The values that a recurrence reads besides `in`, and where they are named."""
    part = node.component
    if not isinstance(part, Rnn):
        return []
    named = {
        "context": part.context,
        "init.from": part.start,
        "attend.source": part.attend.source if part.attend is not None else None,
    }
    return [
        (edge, report.place(f"{node.name}.rnn.{field}", node.span))
        for field, edge in named.items()
        if edge is not None
    ]


def check_recurrence(
    node: Node, graph: Graph, names: list[str], inputs: Inputs, report: Report
) -> None:
    """That states come from nodes that have one, and that a decoder looks at a sequence.

    `names` are all nodes, unreadable ones too; an edge that leads nowhere is reported elsewhere.
    """
    for edge in node.inputs:
        if FINAL.match(edge):
            place = report.place(f"{node.name}.in", node.span)
            check_final(edge, place, node.name, graph, names, report)
    part = node.component
    if not isinstance(part, Rnn):
        return
    for field, state in (("context", part.context), ("init.from", part.start)):
        if state is not None:
            place = report.place(f"{node.name}.rnn.{field}", node.span)
            check_final(state, place, node.name, graph, names, report)
    if part.attend is None:
        return
    source = part.attend.source
    place = report.place(f"{node.name}.rnn.attend.source", node.span)
    if FINAL.match(source):
        message = "`attend` looks at a sequence"
        label = f"write `{node_of(source)}`"
        report.error("AR0407", message, place, f"`{source}` is one state: {label}")
    elif source in inputs and inputs[source].kind not in ("vectors", "features"):
        kind = inputs[source].kind
        report.error(
            "AR0407", f"`attend` cannot look at `{kind}`", place, f"`{source}` is `{kind}`"
        )


def check_final(
    edge: str, span: Span, reader: str, graph: Graph, names: list[str], report: Report
) -> None:
    """That an edge is the final state of a recurrence; `reader` is the node that reads it."""
    name = node_of(edge)
    if name in names and name not in graph:
        return
    part = graph[name].component if name in graph else None
    if isinstance(part, Rnn) and FINAL.match(edge):
        if part.attend is not None:
            label = f"`{name}` looks at a source at every step"
            report.error("AR0410", f"`{name}` gives no final state", span, label)
        elif way_of(edge) and not part.bidirectional:
            label = f"`{name}` runs one way"
            report.error("AR0410", f"no edge `{edge}`", span, label, help=f"write `{name}.final`")
        return
    if isinstance(part, Rnn):
        message = "a state is wanted here"
        report.error("AR0410", message, span, "this is a sequence", help=f"write `{name}.final`")
        return
    if part is None and FINAL.match(edge):
        return
    states = [
        f"{one}.final"
        for one, node in graph.items()
        if isinstance(node.component, Rnn) and one != reader
    ]
    hint = did_you_mean(edge, states) or "only an `rnn` has a final state"
    report.error("AR0410", f"`{name}` has no final state", span, hint)
