"""A component that adds its own input to what it makes of it."""

from archspec.source.frozen import Frozen
from compiler.ir.graph import Entry, Graph, Node
from compiler.ir.operator import Operator
from compiler.ops import Add


class Residual(Frozen):
    """The nodes around the inside of a component: norms before it, the addition, norms behind."""

    before: tuple[str, ...]
    add: str
    behind: tuple[str, ...]


def residual(graph: Graph) -> Residual | None:
    """Those of a graph with one output, or None where it adds nothing to its first input."""
    if len(graph.outputs) != 1:
        return None
    (end,) = graph.outputs.values()
    last, behind = graph[end.node], []
    while _norm(last):
        behind.append(last.id)
        source = last.inputs[0]
        if source is None:
            return None
        last = graph[source.node]
    entry = next((node for node in graph if isinstance(node.what, Entry)), None)
    if entry is None or not isinstance(last.what, Add) or not _reads(last, entry):
        return None
    readers = [node for node in graph if node is not last and _reads(node, entry)]
    norms = [node.id for node in readers if _norm(node)]
    before = tuple(norms) if len(readers) == len(norms) == 1 else ()
    return Residual(before, last.id, tuple(reversed(behind)))


def _norm(node: Node) -> bool:
    return isinstance(node.what, Operator) and node.what.normalizes


def _reads(node: Node, entry: Node) -> bool:
    return any(value is not None and value.node == entry.id for value in node.inputs)
