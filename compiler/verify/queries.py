"""How wide queries are drawn: so that scores vary by one, whatever attention multiplies them by."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from compiler.ir.graph import Graph, Node, Value
from compiler.ir.program import Program, join
from compiler.ir.size import value
from compiler.ops import Clip, Linear, Rotate, ScaledDotProductAttention, Split, SplitHeads

if TYPE_CHECKING:
    from torch import nn

KEEPS: Final = (SplitHeads, Rotate, Clip)
"""What queries may go through and be as large as before."""


def even_scores(model: "nn.Module", program: Program) -> None:
    """Draw the maps of queries K^-1/2 / scale times as wide as others.

    T5's authors leave scores as they are and draw those maps with the deviation (D·K)^-1/2 instead
    (Raffel et al. 2020). Drawn like any other, they would have one position take all weight, and
    the last bit of a number decide which. `program` is the fused one that `model` is made from.
    """
    import torch

    known = dict(model.named_parameters())
    with torch.no_grad():
        for name, start, end, share in _maps(program):
            if name in known:
                known[name][start:end] *= share


def _maps(program: Program) -> Iterator[tuple[str, int, int, float]]:
    """Parameters that make queries, the rows that do, and how much narrower they are."""
    for path, node, graph in program.flat():
        if not isinstance(node.what, ScaledDotProductAttention) or node.what.scale is None:
            continue
        queries = node.inputs[0]
        assert queries is not None
        found = _origin(graph, queries)
        if found is None:
            continue
        linear, part = found
        assert isinstance(linear.what, Linear)
        sizes = program.key.sizes
        width = value(graph.type(queries).shape[-1], sizes)
        parts = [value(size, sizes) for _, size in linear.what.parts]
        start = sum(parts[:part])
        end = start + parts[part] if parts else value(linear.what.O, sizes)
        above, _, _ = path.rpartition(".")
        name = f"{join(above, linear.under or linear.id)}.weight"
        yield name, start, end, width**-0.5 / node.what.scale


def _origin(graph: Graph, queries: Value) -> tuple[Node, int] | None:
    """The map that queries come from and which part of it they are; None where a norm or anything
    else sizes them anew."""
    at: Value | None = queries
    part = 0
    while at is not None:
        node = graph[at.node]
        if isinstance(node.what, Linear):
            return node, part
        if isinstance(node.what, Split):
            part = at.port
        elif not isinstance(node.what, KEEPS):
            return None
        at = node.inputs[0]
    return None
