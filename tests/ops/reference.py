"""What each operator computes, written from its definition and from no rule of the product."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch
from torch import Tensor

from compiler import ops
from compiler.ir.size import Size, value
from tests.ops import attentions, biases, mixtures, nodes, sights, turns

Weights: TypeAlias = Mapping[str, Tensor]


@dataclass(frozen=True)
class Given:
    """What an operator is given; inputs are tensors, or None where a port is empty."""

    inputs: Sequence[Any]
    weights: Weights = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    def number(self, size: Size) -> int:
        """A fixed size as an integer."""
        return value(size, self.sizes)


ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gelu": lambda x: x * (1 + torch.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "quick_gelu": lambda x: x / (1 + torch.exp(-1.702 * x)),
    "relu": lambda x: torch.where(x > 0, x, 0),
    "relu2": lambda x: torch.where(x > 0, x * x, 0),
    "silu": lambda x: x / (1 + torch.exp(-x)),
    "tanh": lambda x: 1 - 2 / (torch.exp(2 * x) + 1),
    "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
}


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


def layer_norm(operator: Any, given: Given) -> Tensor:
    """Ba et al. 2016, eq. 4."""
    x: Tensor = given.inputs[0]
    centred = x - x.mean(dim=-1, keepdim=True)
    y = centred / torch.sqrt((centred**2).mean(dim=-1, keepdim=True) + operator.eps)
    gain = given.weights.get("weight", 1) + (1 if operator.unit_offset else 0)
    return y * gain + given.weights.get("bias", 0)


def rms_norm(operator: Any, given: Given) -> Tensor:
    """Zhang & Sennrich 2019, eq. 4."""
    x: Tensor = given.inputs[0]
    y = x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + operator.eps)
    return y * (given.weights.get("weight", 1) + (1 if operator.unit_offset else 0))


def l2_norm(operator: Any, given: Given) -> Tensor:
    """Vectors divided by their length."""
    x: Tensor = given.inputs[0]
    return x / torch.sqrt((x**2).sum(dim=-1, keepdim=True)).clamp(min=operator.eps)


def linear(operator: Any, given: Given) -> Tensor:
    """Sums of products."""
    table = given.inputs[1] if len(given.inputs) > 1 else given.weights["weight"]
    return torch.einsum("...i,oi->...o", given.inputs[0], table) + given.weights.get("bias", 0)


def conv2d(operator: Any, given: Given) -> Tensor:
    """For each place the products of the filters with the pixels under them."""
    (rows, columns), (down, right) = operator.pad, operator.stride
    x = torch.nn.functional.pad(given.inputs[0], (columns, columns, rows, rows))
    Q, F = given.weights["weight"].shape[2:]
    high, wide = ((n - 1) * d + 1 for n, d in zip((Q, F), operator.dilation, strict=True))
    places = [
        [
            filtered(operator, x[:, :, i : i + high, j : j + wide], given)
            for j in range(0, x.shape[3] - wide + 1, right)
        ]
        for i in range(0, x.shape[2] - high + 1, down)
    ]
    return torch.stack([torch.stack(row, dim=-1) for row in places], dim=-2)


def conv1d(operator: Any, given: Given) -> Tensor:
    """As over an image of one row."""
    x = torch.nn.functional.pad(given.inputs[0].mT, (operator.before, operator.after))
    wide = (given.weights["weight"].shape[2] - 1) * operator.dilation + 1
    places = range(x.shape[2] - wide + 1)
    return torch.stack([filtered(operator, x[:, :, i : i + wide], given) for i in places], dim=1)


def filtered(operator: Any, window: Tensor, given: Given) -> Tensor:
    """[B, C, ...] under the filters [D, C / groups, ...] to [B, D], group by group."""
    weight = given.weights["weight"]
    dilation = operator.dilation if weight.ndim == 4 else (operator.dilation,)
    for axis, step in enumerate(dilation, 2):
        window = window.index_select(axis, torch.arange(0, window.shape[axis], step))
    found = [
        torch.einsum("bc,dc->bd", cells.flatten(1).double(), filters.flatten(1).double())
        for cells, filters in zip(
            window.chunk(operator.groups, dim=1), weight.chunk(operator.groups), strict=True
        )
    ]
    y = torch.cat(found, dim=1).to(window.dtype)
    return y + given.weights["bias"] if "bias" in given.weights else y


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


def mean(operator: Any, given: Given) -> Tensor:
    """The sum over the places that count by their number."""
    kept: Tensor = given.inputs[0][:, operator.skip :]
    return kept.sum(dim=1) / max(kept.shape[1], 1)


def masked_mean(operator: Any, given: Given) -> Tensor:
    """Row by row the mean of what is real."""
    x, real = given.inputs
    rows = [
        each[operator.skip :][keep[operator.skip :]] for each, keep in zip(x, real, strict=True)
    ]
    return torch.stack([r.mean(dim=0) if len(r) else x.new_zeros(x.shape[-1]) for r in rows])


def last(operator: Any, given: Given) -> Tensor:
    """The last real place of each row, `back` before it; the first of a row without any."""
    x: Tensor = given.inputs[0]
    real: Tensor | None = given.inputs[1]
    if real is None:
        return x[:, x.shape[1] - 1 - operator.back]
    places = [max((t for t, kept in enumerate(row) if kept), default=0) for row in real.tolist()]
    return torch.stack([each[max(0, t - operator.back)] for each, t in zip(x, places, strict=True)])


def last_of_new(operator: Any, given: Given) -> Tensor:
    """The last real one of the newest places of each row; the first of a row without any."""
    x: Tensor = given.inputs[0]
    seen: Tensor | None = given.inputs[1]
    new = [[True] * x.shape[1]] * len(x) if seen is None else seen[:, -x.shape[1] :].tolist()
    places = [max((t for t, kept in enumerate(row) if kept), default=0) for row in new]
    return torch.stack([each[t : t + 1] for each, t in zip(x, places, strict=True)])


def eos(operator: Any, given: Given) -> Tensor:
    """The first real place of the token, or of the largest id; the first place where it is not."""
    x, ids, real = given.inputs
    kept = torch.ones_like(ids, dtype=torch.bool) if real is None else real
    found = []
    for line, there in zip(ids.tolist(), kept.tolist(), strict=True):
        row = [token if seen else None for token, seen in zip(line, there, strict=True)]
        if not any(there):
            found.append(0)
            continue
        largest = max(token for token in row if token is not None)
        token = largest if operator.token is None else operator.token
        found.append(row.index(token) if token in row else 0)
    return torch.stack([each[t] for each, t in zip(x, found, strict=True)])


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
    ops.Add: lambda o, g: g.inputs[0] + g.inputs[1],
    ops.AddRows: lambda o, g: torch.stack([each + g.inputs[1] for each in g.inputs[0]]),
    ops.CacheUpdate: cache,
    ops.CausalMask: causal_mask,
    ops.Concat: lambda o, g: torch.cat((g.inputs[0], g.inputs[1]), dim=-1),
    ops.Conv1d: conv1d,
    ops.Conv2d: conv2d,
    ops.Dropout: lambda o, g: g.inputs[0],
    ops.Embedding: table_rows,
    ops.EosPool: eos,
    ops.FlattenGrid: flat,
    ops.IndexPool: lambda o, g: g.inputs[0][:, o.index % g.inputs[0].shape[1]],
    ops.JointCacheUpdate: joint_cache,
    ops.KeyMask: lambda o, g: g.inputs[0].view(g.inputs[0].shape[0], 1, 1, -1),
    ops.L2Norm: l2_norm,
    ops.LastPool: last,
    ops.LastPosition: last_of_new,
    ops.LayerNorm: layer_norm,
    ops.LayerScale: lambda o, g: g.inputs[0] * g.weights["weight"],
    ops.LearnedPositions: learned_positions,
    ops.Linear: linear,
    ops.MaskedMeanPool: masked_mean,
    ops.MeanPool: mean,
    ops.MergeHeads: lambda o, g: torch.cat(g.inputs[0].unbind(1), dim=-1),
    ops.Multiply: lambda o, g: g.inputs[0] * g.inputs[1],
    ops.Prepend: prepend,
    ops.RmsNorm: rms_norm,
    ops.Scale: lambda o, g: g.inputs[0] * o.factor,
    ops.SharedEmbedding: table_rows,
    ops.SharedLinear: linear,
    ops.Sinusoid: sinusoid,
    ops.Split: split,
    ops.SplitHeads: _heads,
    ops.TypeEmbedding: type_rows,
}  # fmt: skip
