"""Disentangled attention: queries and keys that look at distances, mapped as contents are."""

from collections.abc import Mapping
from typing import TypeAlias

from archspec.components.attention import Attention
from archspec.components.disentangled import Disentangled
from compiler.ir.graph import Value
from compiler.ir.size import Poly
from compiler.ir.types import TensorType
from compiler.lower.attention.around import Around
from compiler.lower.attention.heads import Heads
from compiler.lower.bias import Bias, Rows
from compiler.lower.norm import norm
from compiler.lower.scope import Need, Scope, fixed
from compiler.ops import DisentangledBias, DistanceRows, DistanceTable, Linear, PairedLinear
from compiler.ops import SplitHeads as Split

Terms: TypeAlias = Mapping[str, Value]
"""Mapped distances [R, H·K]: what queries look at (`c2p`) and what keys do (`p2c`)."""


def rescaled(scope: Scope, component: Attention, sizes: Heads) -> Attention:
    """The attention with the factor of its scores: as many terms, the smaller each (He et al. 2021,
    eq. 4)."""
    learned = component.position_bias
    if not isinstance(learned, Disentangled) or component.score == "dot" or component.scale:
        return component
    width = fixed(scope.letters.fix(sizes.width))
    return component.model_copy(update={"scale": ((1 + len(learned.terms)) * width) ** -0.5})


def asked(
    scope: Scope, component: Attention, around: Around, x: Value, sizes: Heads
) -> tuple[Value, Value, Terms]:
    """Queries and keys in heads, and the distances that they look at."""
    learned = component.position_bias
    assert isinstance(learned, Disentangled)
    rows = _rows(scope, learned, around, x)
    heads: dict[str, Value] = {}
    terms: dict[str, Value] = {}
    for letter, term in (("q", "p2c"), ("k", "c2p")):
        wide = sizes.queries * sizes.width
        init = around.draws.inner(scope.width(x), fixed(scope.letters.fix(wide)))
        options = (wide, letter in component.bias, init)
        if term in learned.terms and learned.share_projections:
            mapped, terms[term] = scope.ops(letter, PairedLinear(*options), x, rows)
        else:
            mapped = scope.op(letter, Linear(*options), x)
        if term in learned.terms and not learned.share_projections:
            terms[term] = scope.op(f"pos_{letter}", Linear(*options), rows)
        heads[letter] = scope.op(f"{letter}_heads", Split(sizes.queries, sizes.width), mapped)
    return heads["q"], heads["k"], terms


def distance_bias(
    scope: Scope, component: Attention, around: Around, q: Value, k: Value, terms: Terms
) -> Value:
    """The scores of contents with distances, [B, H, T, S]."""
    learned = component.position_bias
    assert isinstance(learned, Disentangled)
    target, source = scope.type(q).shape[2], scope.type(k).shape[2]
    places = DistanceRows(source, learned.span, learned.max_distance if learned.buckets else None)
    need = Need("bias", (Bias(around.stream.input, places),))
    bucket = scope.need(need, TensorType("int", (target, source)), "bucket")
    operator = DisentangledBias(component.scale or 1.0)
    return scope.op("bias", operator, q, k, bucket, terms.get("c2p"), terms.get("p2c"))


def _rows(scope: Scope, learned: Disentangled, around: Around, x: Value) -> Value:
    """The table of distances, one for a stack."""
    count: Poly = scope.letters.fixed("table", 2 * learned.span, "", "rows of the distance table")
    width = scope.type(x).shape[-1]
    table = DistanceTable(count, width, around.draws.table())
    if scope.stack:
        found = TensorType("float", (count, width))
        need = Need("bias", (Rows(scope.stack, table, learned.norm),))
        return scope.need(need, found, "distances")
    rows = scope.op("distances", table)
    return rows if learned.norm is None else norm(scope, "distances_norm", learned.norm, rows)
