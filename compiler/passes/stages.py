"""Which part of an encoder-decoder runs once for a source, and which at every step."""

from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.graph import Entry, Graph, Node, Repeat, Value
from compiler.ir.operator import Operator
from compiler.ops import Borrow
from compiler.ops.recurrence import AnyRecurrence

ENCODERS: Final = Repeat | AnyRecurrence
"""What is worth running once for a source."""


class Stages(Frozen):
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
    beside = (f"{grown}_{kind}" for kind in ("mask", "segments", "types"))
    named = [name for name in (grown, *beside) if name in graph]
    roots = named + [name for name, value in graph.inputs.items() if not graph.type(value).shape]
    below = graph.below(*roots)
    first = [n for n in graph if n.id not in below and not isinstance(n.what, Entry | Borrow)]
    if not any(isinstance(node.what, ENCODERS) for node in first):
        return None
    ids = {node.id for node in first}
    decode = [n for n in graph if n.id not in ids and not isinstance(n.what, Entry)]
    read = {value for node in first for value in node.inputs}
    tables = {n.id for n in decode if isinstance(n.what, Borrow) and Value(n.id) in read}
    encode = [n for n in graph if n.id in ids | tables]
    wanted = [value for n in decode for value in n.inputs] + list(graph.outputs.values())
    crossing = dict.fromkeys(v for v in wanted if v is not None and v.node in ids)
    if not crossing:
        return None
    return Stages(encode, decode, list(crossing))


def called(node: Node, port: int) -> str:
    """What an output is called outside its node: by the node, and by its port where it is not the
    first."""
    if port == 0 or not isinstance(node.what, Operator):
        return node.id
    return f"{node.id}_{node.what.signature.outputs[port].name}"
