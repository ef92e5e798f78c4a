"""What the operators of position biases compute, pair by pair."""

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given


def falling(heads: int, most: float) -> list[float]:
    """Slopes as in the appendix of Press et al. 2022: those of the power of two below, then every
    second one of the power above."""
    below = 2 ** math.floor(math.log2(heads))
    found = [2.0 ** (-most * i / below) for i in range(1, below + 1)]
    between = [2.0 ** (-most * i / (2 * below)) for i in range(1, 2 * below, 2)]
    return (found + between)[:heads]


def alibi(operator: Any, given: Given) -> Tensor:
    """Minus the slope times the distance."""
    x, pos = given.inputs
    first, T = pos or 0, x.shape[-2]
    rows = []
    for slope in falling(given.number(operator.H), operator.max_bias):
        pairs = [[(first + t) - s for s in range(first + T)] for t in range(T)]
        far = [[back if operator.causal else abs(back) for back in row] for row in pairs]
        rows.append([[-slope * operator.scale * each for each in row] for row in far])
    return torch.tensor(rows, dtype=torch.float64)[None].to(x.dtype)


def bucket(back: int, buckets: int, most: int, bidirectional: bool) -> int:
    """The bucket of a key that lies `back` places before the query."""
    if bidirectional:
        side = buckets // 2
        return bucket(abs(back), side, most, False) + (side if back < 0 else 0)
    exact, far = buckets // 2, max(back, 0)
    if far < exact:
        return far
    grown = torch.tensor(far / exact).log() / math.log(most / exact)  # float32, as T5 itself does
    return min(exact + int(grown * (buckets - exact)), buckets - 1)


def distance_buckets(operator: Any, given: Given) -> Tensor:
    x, pos = given.inputs
    first, T = pos or 0, x.shape[-2]
    settings = (operator.buckets, operator.max_distance, operator.bidirectional)
    return torch.tensor(
        [[bucket(first + t - s, *settings) for s in range(first + T)] for t in range(T)]
    )


def grid_offsets(operator: Any, given: Given) -> Tensor:
    """The number of each offset (down, across) in order; then what concerns the class token."""
    height, width = operator.height, operator.width
    offsets = [(i, j) for i in range(1 - height, height) for j in range(1 - width, width)]
    cells = [(i, j) for i in range(height) for j in range(width)]
    places: list[Any] = ["cls", *cells] if operator.cls else list(cells)

    def number(one: Any, two: Any) -> int:
        if "cls" in (one, two):
            return len(offsets) + [("cls", False), (False, "cls"), ("cls", "cls")].index(
                (one == "cls" and one, two == "cls" and two)
            )
        return offsets.index((one[0] - two[0], one[1] - two[1]))

    return torch.tensor([[number(one, two) for two in places] for one in places])


def bucket_bias(operator: Any, given: Given) -> Tensor:
    """The row of each pair, its columns as heads."""
    rows = [[given.weights["weight"][int(i)] for i in row] for row in given.inputs[0]]
    picked = torch.stack([torch.stack(row) for row in rows])
    return torch.stack(picked.unbind(-1))[None]


def masked_bias(operator: Any, given: Given) -> Tensor:
    bias, seen = given.inputs
    rows = seen if seen.ndim == 4 else seen[None, None]
    hidden = torch.full((max(len(bias), len(rows)), *bias.shape[1:]), -torch.inf, dtype=bias.dtype)
    return torch.where(rows.expand_as(hidden), bias.expand_as(hidden), hidden)


def distance_row(back: int, span: int, most: int | None) -> int:
    """The row of a signed distance: the distance itself, or its power of a common growth."""
    row, far, exact = back, abs(back), span // 2
    if most is not None and far > exact:
        grown = torch.tensor(far / exact).log() / math.log((most - 1) / exact)
        row = (exact + math.ceil(grown * (exact - 1))) * (1 if back > 0 else -1)
    return min(max(row + span, 0), 2 * span - 1)


def distance_rows(operator: Any, given: Given) -> Tensor:
    x, pos = given.inputs
    first, T = pos or 0, x.shape[-2]
    settings = (operator.span, operator.max_distance)
    return torch.tensor(
        [[distance_row(first + t - s, *settings) for s in range(first + T)] for t in range(T)]
    )


def disentangled_bias(operator: Any, given: Given) -> Tensor:
    """Pair by pair, the products of each with the row of their distance."""
    q, k, bucket, keys, queries = given.inputs
    B, H, T, K = q.shape
    S = k.shape[2]
    bias = torch.zeros(B, H, T, S, dtype=q.dtype)
    for h, t, s in itertools.product(range(H), range(T), range(S)):
        row, own = int(bucket[t, s]), slice(h * K, (h + 1) * K)
        for rows, asking in ((keys, q[:, h, t]), (queries, k[:, h, s])):
            if rows is not None:
                bias[:, h, t, s] += operator.scale * (asking * rows[row, own]).sum(-1)
    return bias


def paired_linear(operator: Any, given: Given) -> tuple[Tensor, Tensor]:
    """The same map of both."""
    weight, bias = given.weights["weight"], given.weights.get("bias", 0)
    x, rows = (torch.einsum("...i,oi->...o", each, weight) + bias for each in given.inputs)
    return x, rows


RULES: Mapping[type, Callable[[Any, Any], Any]] = {
    ops.Alibi: alibi,
    ops.BucketBias: bucket_bias,
    ops.DisentangledBias: disentangled_bias,
    ops.DistanceBuckets: distance_buckets,
    ops.DistanceRows: distance_rows,
    ops.DistanceTable: lambda o, g: g.weights["weight"],
    ops.GridOffsets: grid_offsets,
    ops.MaskedBias: masked_bias,
    ops.PairedLinear: paired_linear,
}
