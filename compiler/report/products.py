"""The four matrix products of every attention: projections in, scores, mixture, projection out."""

from collections.abc import Iterator
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, as_poly, total
from compiler.passes.cost import Costs, Row
from compiler.passes.mixers import LENGTHS

PROJECTIONS: Final = ("q", "k", "v", "kv", "qkv", "query", "q_a", "q_b", "kv_a")
LAWS: Final = ("O(D²)", "O(N·D²)", "O(N²·D)")
"""How a product grows, by the power of the lengths in it."""


class Product(Frozen):
    """One of the four: `qkv`, `scores` (q·kᵀ), `mix` (shares · v) or `out`.

    Attributes:
        path: of the attention, with the layers that it stands for.
        flops: of all its uses, every pair of positions counted; nothing where it has no such map.
        law: `O(N·D²)` for a product with weights, `O(N²·D)` for one of positions with positions.
        row: of the attention itself.
    """

    path: str
    name: str
    flops: Poly
    law: str
    row: Row


def products(costs: Costs) -> tuple[Product, ...]:
    """Four for each attention of the folded program, in the order of execution."""
    return tuple(product for row in costs.rows if _scores(row) for product in _four(costs, row))


def _scores(row: Row) -> bool:
    """Whether a row writes scores; a recurrent decoder's mixture is a row of its own."""
    return bool(as_poly(row.each.scores).terms)


def _four(costs: Costs, row: Row) -> Iterator[Product]:
    path = row.path.rpartition(".")[0]
    beside = {
        other.path.rpartition(".")[2]: as_poly(other.cost.matmul)
        for other in costs.rows
        if other.path.rpartition(".")[0] == path
    }
    own, maps = row.cost.total("mix"), row.cost.total("maps")
    mix = own if own.terms else beside.get("mix", own)
    flops = {
        "qkv": total(size for name, size in beside.items() if name in PROJECTIONS) + maps,
        "scores": as_poly(row.cost.matmul) - own - maps,
        "mix": mix,
        "out": beside.get("o", as_poly(0)),
    }
    for name, size in flops.items():
        law = LAWS[min(_power(size, costs.key), 2)] if size.terms else ""
        yield Product(path, name, size, law, row)


def _power(size: Poly, key: Letters) -> int:
    """The highest power of the lengths together in any term."""
    lengths = {name for name, known in key.key.items() if known.role in LENGTHS}
    return max(
        sum(power for factor, power in monomial if factor in lengths) for monomial, _ in size.terms
    )
