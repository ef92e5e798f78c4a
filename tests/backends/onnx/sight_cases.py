"""Masks, biases and what places give, against their definitions in loops."""

from collections.abc import Callable, Mapping

import torch

import compiler.ops as ops
from compiler.ir.operator import Operator
from compiler.ir.size import Size, letter
from tests.ops import attentions, biases, sights
from tests.ops.given import Given

B, T, S = letter("B"), letter("T"), letter("S")
WHOLE, MARKS = (B, T, 6), (B, T)
RULES = {**sights.RULES, **biases.RULES, **attentions.RULES}
BELOW = {
    **dict.fromkeys(("segments", "asking", "marks", "like", "ids", "prefix"), 3),
    "place": 7,
    "bucket": 9,
}
Numbers = Mapping[str, torch.Tensor]
Written = tuple[
    Operator, Mapping[str, tuple[Size, ...]], Callable[[Numbers], torch.Tensor], Mapping[str, int]
]
"""An operator, the shapes of its inputs by port, what it computes, and what integers are below."""


def sight(operator: Operator, **inputs: tuple[Size, ...]) -> Written:
    ports = [port.name for port in operator.signature.inputs]

    def oracle(n: Numbers) -> torch.Tensor:
        given = Given([n.get(port) for port in ports], n)
        found: torch.Tensor = RULES[type(operator)](operator, given)
        return found

    return operator, inputs, oracle, BELOW


WRITTEN: Mapping[str, Written] = {
    "window": sight(ops.SeenMask(T, causal=True, window=2), x=WHOLE),
    "prefix": sight(ops.PrefixMask(T, causal=True), x=WHOLE, prefix=(B,)),
    "prefix_padded": sight(
        ops.PrefixMask(T, causal=True, window=2), x=WHOLE, real=MARKS, prefix=(B,)
    ),
    "radius": sight(ops.SeenMask(T, window=1), x=WHOLE),
    "pieces": sight(ops.SeenMask(T, chunk=2), x=WHOLE),
    "causal_pieces": sight(ops.SeenMask(T, causal=True, chunk=3), x=WHOLE),
    "documents": sight(ops.SeenMask(T, causal=True), x=WHOLE, segments=MARKS),
    "documents_of_two": sight(ops.SeenMask(S), x=WHOLE, segments=(B, S), asking=MARKS),
    "given_mask": sight(ops.SeenMask(S), x=WHOLE, edge=(B, T, S)),
    "given_mask_padded": sight(ops.SeenMask(S), x=WHOLE, real=(B, S), edge=(B, T, S)),
    "every_mask": sight(
        ops.SeenMask(T, causal=True, window=4, chunk=2),
        x=WHOLE,
        real=MARKS,
        segments=MARKS,
        place=MARKS,
        edge=(B, T, T),
    ),
    "alibi": sight(ops.Alibi(4, T), x=WHOLE),
    "alibi_both_ways": sight(ops.Alibi(6, T, 4.0, scale=0.5, causal=False), x=WHOLE),
    "buckets": sight(ops.DistanceBuckets(T, 8, 3, bidirectional=True), x=WHOLE),
    "buckets_behind": sight(ops.DistanceBuckets(T, 4, 5, bidirectional=False), x=WHOLE),
    "grid": sight(ops.GridOffsets(2, 3), x=(B, 6, 4)),
    "grid_with_class": sight(ops.GridOffsets(2, 3, cls=True), x=(B, 7, 4)),
    "bucket_bias": sight(ops.BucketBias(9, 4), bucket=(T, S)),
    "distance_rows": sight(ops.DistanceRows(T, 2), x=WHOLE),
    "distance_rows_by_logarithm": sight(ops.DistanceRows(T, 4, 6), x=WHOLE),
    "distance_table": sight(ops.DistanceTable(5, 4)),
    "paired_linear": sight(ops.PairedLinear(3, bias=True), x=WHOLE, rows=(5, 6)),
    "masked_bias": sight(ops.MaskedBias(), bias=(1, 4, T, S), seen=(B, 1, T, S)),
    "masked_bias_alike": sight(ops.MaskedBias(), bias=(1, 4, T, S), seen=(T, S)),
    "restart": sight(ops.Restart(), segments=MARKS),
    "newest": sight(ops.Newest(), marks=MARKS, like=MARKS),
    "newest_real": sight(ops.NewestReal(), marks=MARKS, like=MARKS),
    "counted_places": sight(ops.CountedPlaces(), real=MARKS),
    "counted_places_before": sight(ops.CountedPlaces(before=True), real=MARKS),
    "real_ids": sight(ops.RealIds(2), ids=MARKS),
    "zero_padding": sight(ops.ZeroPadding(), x=WHOLE, real=MARKS),
    "placed_positions": sight(ops.PlacedPositions(9, 6, offset=2), place=MARKS),
    "placed_sinusoid": sight(ops.PlacedSinusoid(8, 100.0), x=WHOLE, place=MARKS),
    "placed_sinusoid_halves": sight(
        ops.PlacedSinusoid(8, 100.0, "halves", shortened=True), x=WHOLE, place=MARKS
    ),
    "concat_rows": sight(ops.ConcatRows(8), x=WHOLE, rows=(T, 2)),
    "temperatures": sight(ops.Temperatures(0.3, 2), x=WHOLE),
    "placed_temperatures": sight(ops.PlacedTemperatures(0.3, 2), place=MARKS),
}
