"""Which part of an encoder–decoder runs once for a source, and which at every step."""

from dataclasses import dataclass

import networkx as nx

from compiler.ir.graph import Entry, Graph, Node, Repeat, Value
from compiler.ops import Borrow


@dataclass(frozen=True)
class Stages:
    """The nodes of `encode` and of `decode`, and the values that go from one to the other."""

    encode: list[Node]
    decode: list[Node]
    crossing: list[Value]


def stages(graph: Graph, grown: str) -> Stages | None:
    """The two stages of a graph that decodes with a cache over an encoded source, or None.

    `grown` is the input of the decoder; what depends on it belongs to `decode`. A model whose own
    nodes are called `encode` or `decode` has no methods of these names.
    """
    if not grown or "encode" in graph or "decode" in graph:
        return None
    named = [name for name in (grown, f"{grown}_mask", f"{grown}_types") if name in graph]
    roots = named + [name for name, value in graph.inputs.items() if not graph.type(value).shape]
    below = set(roots).union(*(nx.descendants(graph.nx, name) for name in roots))
    first = [n for n in graph if n.id not in below and not isinstance(n.what, Entry | Borrow)]
    if not any(isinstance(node.what, Repeat) for node in first):
        return None
    ids = {node.id for node in first}
    decode = [n for n in graph if n.id not in ids and not isinstance(n.what, Entry)]
    crossing = dict.fromkeys(v for n in decode for v in n.inputs if v is not None and v.node in ids)
    if not crossing:
        return None
    return Stages(first, decode, list(crossing))
