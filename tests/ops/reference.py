"""What each operator computes, written from its definition and from no rule of the product."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops import attentions, biases, filters, mixtures, nodes, norms, pools, sights, turns
from tests.ops.activations import ACTIVATIONS
from tests.ops.given import Given


def compute(operator: Any, given: Given) -> tuple[Any, ...]:
    """The outputs of an operator."""
    found = RULES[type(operator)](operator, given)
    return found if isinstance(found, tuple) else (found,)


def sinusoid(operator: Any, given: Given) -> Tensor:
    """Vaswani et al. 2017, section 3.5, number by number."""
    x, pos = given.inputs
    T, D = x.shape[-2:]
    span = D // 2 - 1 if operator.shortened else D // 2
    rows = []
    for t in range(pos or 0, (pos or 0) + T):
        each = [t / operator.base ** (i / span) for i in range(D // 2)]
        sines, cosines = [math.sin(a) for a in each], [math.cos(a) for a in each]
        pairs = [v for pair in zip(sines, cosines, strict=True) for v in pair]
        rows.append(sines + cosines if operator.layout == "halves" else pairs)
    return torch.tensor(rows, dtype=torch.float64).to(x.dtype)


def cache(operator: Any, given: Given) -> tuple[Tensor, Tensor]:
    """What was seen before `pos` from the cache, then the new ones; the cache keeps them."""
    k, v, kv, pos = given.inputs
    if kv is None:
        return k, v
    whole = [torch.cat((kv[i, :, :, :pos], new), dim=2) for i, new in enumerate((k, v))]
    for kept, all_ in zip(kv, whole, strict=True):
        kept[:, :, : all_.shape[2]] = all_
    return whole[0], whole[1]


def joint_cache(operator: Any, given: Given) -> tuple[Tensor, Tensor]:
    """As `cache`, keys and values side by side."""
    k, v, kv, pos = given.inputs
    if kv is None:
        return k, v
    whole = torch.cat((kv[:, :, :pos], torch.cat((k, v), dim=-1)), dim=2)
    kv[:, :, : whole.shape[2]] = whole
    return whole[..., : k.shape[-1]], whole[..., k.shape[-1] :]


def causal_mask(operator: Any, given: Given) -> Tensor | None:
    """True where source s is not after query pos + t and, with padding, is real."""
    x, kv, pos, real = given.inputs
    if real is None and kv is None:
        return None
    first, T = pos or 0, x.shape[1]
    square = torch.tensor([[s <= first + t for s in range(first + T)] for t in range(T)])
    return square if real is None else square & real[:, None, None, :]


def linear(operator: Any, given: Given) -> Tensor:
    """Sums of products."""
    table = given.inputs[1] if len(given.inputs) > 1 else given.weights["weight"]
    return torch.einsum("...i,oi->...o", given.inputs[0], table) + given.weights.get("bias", 0)


def table_rows(operator: Any, given: Given) -> Tensor:
    """Rows of a table, one by one."""
    ids = given.inputs[0]
    table = given.inputs[1] if len(given.inputs) > 1 else given.weights["weight"]
    return torch.stack([table[i] for i in ids.flatten().tolist()]).view(*ids.shape, -1)


def type_rows(operator: Any, given: Given) -> Tensor:
    """Rows of the table of types; row 0 without types."""
    ids, types = given.inputs
    return table_rows(
        operator, Given([torch.zeros_like(ids) if types is None else types], given.weights)
    )


def learned_positions(operator: Any, given: Given) -> Tensor:
    """Rows of the places from the offset on."""
    x, pos = given.inputs
    first = operator.offset + (pos or 0)
    return torch.stack([given.weights["weight"][first + t] for t in range(x.shape[-2])])


def prepend(operator: Any, given: Given) -> Tensor:
    """Learned rows before each sequence."""
    (x,) = given.inputs
    return torch.stack([torch.cat((given.weights["weight"], each)) for each in x])


def flat(operator: Any, given: Given) -> Tensor:
    """Cell after cell, row after row."""
    cells = [cell for row in given.inputs[0].unbind(2) for cell in row.unbind(2)]
    return torch.stack(cells, dim=1)


def split(operator: Any, given: Given) -> tuple[Tensor, ...]:
    """Slices of the width, end to end."""
    (x,) = given.inputs
    widths = [given.number(part) for part in operator.parts]
    ends = [sum(widths[: i + 1]) for i in range(len(widths))]
    return tuple(x[..., end - width : end] for end, width in zip(ends, widths, strict=True))


def _heads(operator: Any, given: Given) -> Tensor:
    (x,) = given.inputs
    K = given.number(operator.K)
    return torch.stack([x[..., i : i + K] for i in range(0, x.shape[-1], K)], dim=1)


RULES: Mapping[type, Callable[[Any, Given], Any]] = {
    ops.Activation: lambda o, g: ACTIVATIONS[o.kind](g.inputs[0]),
    **nodes.RULES,
    **mixtures.RULES,
    **sights.RULES,
    **attentions.RULES,
    **turns.RULES,
    **biases.RULES,
    **filters.RULES,
    **norms.RULES,
    **pools.RULES,
    ops.Add: lambda o, g: g.inputs[0] + g.inputs[1],
    ops.AddRows: lambda o, g: torch.stack([each + g.inputs[1] for each in g.inputs[0]]),
    ops.CacheUpdate: cache,
    ops.CausalMask: causal_mask,
    ops.Concat: lambda o, g: torch.cat((g.inputs[0], g.inputs[1]), dim=-1),
    ops.Dropout: lambda o, g: g.inputs[0],
    ops.Embedding: table_rows,
    ops.FlattenGrid: flat,
    ops.JointCacheUpdate: joint_cache,
    ops.KeyMask: lambda o, g: g.inputs[0].view(g.inputs[0].shape[0], 1, 1, -1),
    ops.LearnedPositions: learned_positions,
    ops.Linear: linear,
    ops.MergeHeads: lambda o, g: torch.cat(g.inputs[0].unbind(1), dim=-1),
    ops.Multiply: lambda o, g: g.inputs[0] * g.inputs[1],
    ops.Prepend: prepend,
    ops.Scale: lambda o, g: g.inputs[0] * o.factor,
    ops.SharedEmbedding: table_rows,
    ops.SharedLinear: linear,
    ops.Sinusoid: sinusoid,
    ops.Split: split,
    ops.SplitHeads: _heads,
    ops.TypeEmbedding: type_rows,
}  # fmt: skip
