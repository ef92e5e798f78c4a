"""How many positions of a cache later queries can look at: a window ends them, a chunk too."""

from compiler.ir.graph import Node, Value
from compiler.ir.letters import Letters
from compiler.ir.program import Place
from compiler.ir.size import Poly, as_poly, least
from compiler.ops import LatentAttention, ScaledDotProductAttention
from compiler.ops.keeps import Keeps


def capped(place: Place, state: Poly, key: Letters) -> Poly:
    """What of the `state` of an operator decoding must keep: where all that read a cache are
    attentions that look back at most W positions, their own among them, the latest W."""
    operator, graph = place.node.what, place.graph
    if not isinstance(operator, Keeps):
        return state
    values = (Value(place.node.id, port) for port in range(len(place.node.types)))
    reached = [_seen(*reader, key) for value in values for reader in graph.readers(value)]
    known = [count for count in reached if count is not None]
    if not known or len(known) < len(reached):
        return state
    seen = as_poly(operator.S)
    return state.at({str(seen): least(seen, max(known))})


def _seen(reader: Node, port: int, key: Letters) -> int | None:
    """The positions that a query looks at; None where nothing bounds them."""
    attention = reader.what
    if not isinstance(attention, LatentAttention | ScaledDotProductAttention):
        return None
    back = attention.reach(attention.signature.inputs[port].name, key).back
    return None if back is None else back + 1
