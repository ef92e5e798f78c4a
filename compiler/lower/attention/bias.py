"""What distances add to the scores of an attention, together with what they hide."""

from dataclasses import replace
from typing import Final

from archspec.components.alibi import Alibi as Slopes
from archspec.components.attention import Attention
from archspec.components.grid_bias import GridBias
from archspec.components.t5_bias import T5Bias
from compiler.ir.graph import Value
from compiler.ir.init import Init
from compiler.ir.size import Poly, as_poly, constant
from compiler.ir.types import TensorType
from compiler.lower.attention.around import Around
from compiler.lower.attention.disentangle import Terms, distance_bias
from compiler.lower.attention.view import hidden, view
from compiler.lower.bias import Bias
from compiler.lower.scope import Need, Scope, fixed
from compiler.ops import Alibi, BucketBias, DistanceBuckets, GridOffsets, MaskedBias

AROUND_ZERO: Final = Init("normal", 0.02)
"""How a table is drawn where the spec has no rule: torch's own, of deviation 1, would outweigh
the scores."""


def biased(
    scope: Scope,
    component: Attention,
    around: Around,
    q: Value,
    k: Value,
    terms: Terms,
    *,
    hiding: bool,
) -> Value:
    """The position bias of queries `q` and keys `k`, [N, H, T, S]; if `hiding`, -inf where they may
    not look.

    What layers share comes from the model around them; `terms` are distances that contents look at.
    """
    edge = around.stream.input
    match component.position_bias:
        case Slopes() as slopes:
            asked = Bias(edge, _slopes(scope, component, slopes, q, k))
            return _shared(scope, component, around, asked, q, k, hiding)
        case T5Bias() as learned:
            asked = Bias(edge, _buckets(scope, component, learned, k))
            table = _table(scope, learned.buckets, around, q)
        case GridBias() as learned:
            asked = Bias(edge, _offsets(scope, learned, q, k))
            table = _table(scope, learned.rows, around, q)
        case _:
            bias = distance_bias(scope, component, around, q, k, terms)
            return _hidden(scope, component, around, q, k, bias) if hiding else bias
    if learned.per == "stack" and scope.stack:
        asked = replace(asked, table=table, stack=scope.stack)
        return _shared(scope, component, around, asked, q, k, hiding)
    found = TensorType("int", (scope.type(q).shape[2], scope.type(k).shape[2]))
    bias = scope.op("bias", table, scope.need(Need("bias", (asked,)), found, "bucket"))
    return _hidden(scope, component, around, q, k, bias) if hiding else bias


def _hidden(
    scope: Scope, component: Attention, around: Around, q: Value, k: Value, bias: Value
) -> Value:
    """A bias of this layer alone, -inf where nothing may be seen."""
    seen = view(scope, component, around, around.stream, q, k, written=True)
    return bias if seen is None else scope.op("mask", MaskedBias(), bias, seen)


def _shared(
    scope: Scope,
    component: Attention,
    around: Around,
    asked: Bias,
    q: Value,
    k: Value,
    hiding: bool,
) -> Value:
    """A bias from outside, with what it hides."""
    batch, heads, target, _ = scope.type(q).shape
    rows = as_poly(1)
    mask = hidden(scope, component, around, around.stream, q, k, written=True)
    if hiding and mask is not None:
        sight, seen = mask
        asked = replace(asked, sight=sight, seen=seen)
        rows = as_poly(batch) if len(seen.shape) == 4 else rows
    found = TensorType("float", (rows, heads, target, scope.type(k).shape[2]))
    return scope.need(Need("bias", (asked,)), found, "bias")


def _slopes(scope: Scope, component: Attention, slopes: Slopes, q: Value, k: Value) -> Alibi:
    _, heads, _, size = scope.type(q).shape
    scale = fixed(scope.letters.fix(size)) ** -0.5 if slopes.scaled else 1.0
    causal = component.mask == "causal"
    return Alibi(heads, scope.type(k).shape[2], slopes.max_bias, scale, causal)


def _buckets(scope: Scope, component: Attention, learned: T5Bias, k: Value) -> DistanceBuckets:
    both = learned.bidirectional
    both = component.mask != "causal" if both is None else both
    source = scope.type(k).shape[2]
    buckets = DistanceBuckets(source, learned.buckets, learned.max_distance, both)
    exact = buckets.a_side // 2
    if exact < 1 or learned.max_distance <= exact:
        sides = "each direction has" if both else "there are"
        scope.reject(
            "AR0325",
            "`max_distance` must lie beyond the distances that have a bucket each",
            f"{sides} {buckets.a_side} buckets, half of them for one distance each",
            f"use more than {2 * (1 + both) - 1} buckets and `max_distance` above {exact}",
            field="position_bias",
        )
    return buckets


def _offsets(scope: Scope, grid: GridBias, q: Value, k: Value) -> GridOffsets:
    height, width = map(int, grid.size)
    found = [scope.letters.fix(scope.type(side).shape[2]) for side in (q, k)]
    if any(constant(size) != grid.places for size in found):
        beside = " and a class token" if grid.cls else ""
        scope.reject(
            "AR0326",
            f"a grid of {height} by {width} cells{beside} is for {grid.places} positions",
            f"{found[0]} come in" if found[0] == found[1] else "a decoder's keys grow in number",
            field="position_bias",
        )
    return GridOffsets(height, width, grid.cls)


def _table(scope: Scope, count: int, around: Around, q: Value) -> BucketBias:
    rows: Poly = scope.letters.fixed("table", count, "", "rows of the bias table")
    return BucketBias(rows, scope.type(q).shape[1], around.draws.table() or AROUND_ZERO)
