"""How many positions of a cache later queries can look at: a window ends them, a chunk too."""

from compiler.ir.graph import Value
from compiler.ir.program import Place
from compiler.ir.size import Poly, as_poly, least
from compiler.ops import LatentAttention, ScaledDotProductAttention
from compiler.ops.keeps import Keeps


def capped(place: Place, state: Poly) -> Poly:
    """What of the `state` of an operator decoding must keep: where all that read a cache are
    attentions that look back at most W positions, their own among them, the latest W."""
    operator, graph = place.node.what, place.graph
    if not isinstance(operator, Keeps):
        return state
    ports = (Value(place.node.id, port) for port in range(len(place.node.types)))
    reaches = [_reach(reader.what) for port in ports for reader, _ in graph.readers(port)]
    known = [reach for reach in reaches if reach is not None]
    if not known or len(known) < len(reaches):
        return state
    seen = as_poly(operator.S)
    return state.at({str(seen): least(seen, max(known))})


def _reach(what: object) -> int | None:
    """The positions that a query looks at; None where nothing bounds them."""
    if not isinstance(what, LatentAttention | ScaledDotProductAttention):
        return None
    bounds = [bound for bound in (what.window, what.chunk) if bound is not None]
    return min(bounds, default=None)
