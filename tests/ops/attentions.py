"""What attention and the operators around it compute, written from their definitions."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given


def attention(operator: Any, given: Given) -> Tensor:
    """Softmax of scaled scores over what each query sees; zeros where it sees nothing."""
    q, k, v, seen, bias, sink, weighed = (*given.inputs, None, None, None)[:7]
    groups = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
    scale = operator.scale or 1 / math.sqrt(q.shape[-1])
    scores = torch.einsum("bhtk,bhsk->bhts", q, k) * scale
    if weighed is not None:
        each = torch.tanh(q.unsqueeze(3) + k.unsqueeze(2))
        scores = torch.einsum("bhtsk,hk->bhts", each, weighed)
    scores = scores if bias is None else scores + bias
    cap = getattr(operator, "softcap", None)
    scores = scores if cap is None else cap * torch.tanh(scores / cap)
    T, S = scores.shape[-2:]
    if seen is None and operator.causal:
        seen = torch.tensor([[s <= S - T + t for s in range(S)] for t in range(T)])
    if seen is None:
        seen = torch.ones(T, S, dtype=torch.bool)
    largest = torch.where(seen, scores, -1e30).amax(dim=-1, keepdim=True)
    weight = torch.exp(torch.where(seen, scores - largest, -1e30)) * seen
    total = weight.sum(dim=-1, keepdim=True)
    if sink is not None:
        total = total + torch.exp(sink[:, None, None] - largest)
    mixture = torch.where(total > 0, weight / total.clamp(min=1e-30), 0)
    return torch.einsum("bhts,bhsw->bhtw", mixture, v)


def latent_attention(operator: Any, given: Given) -> Tensor:
    """DeepSeek-V2, eq. 11-18: keys and values of every head written out, head by head."""
    q, row, seen, _ = given.inputs
    R, N, W = (given.number(size) for size in (operator.R, operator.N, operator.W))
    latent, turned = row[..., :R], row[..., R:]
    heads = []
    for head in range(q.shape[1]):
        maps = given.weights["weight"][head * (N + W) : (head + 1) * (N + W)]
        k = torch.cat((latent @ maps[:N].T, turned), dim=-1)[:, None]
        v = (latent @ maps[N:].T)[:, None]
        inputs = [q[:, head : head + 1], k, v, seen]
        heads.append(attention(operator, replace(given, inputs=inputs)))
    return torch.cat(heads, dim=1)


def row_cache(operator: Any, given: Given) -> Tensor:
    """The rows before `pos`, and the new ones after them."""
    x, kv, pos = given.inputs
    return x if kv is None else torch.cat((kv[:, :pos], x), dim=1)


def clip(operator: Any, given: Given) -> Tensor:
    """The limit with the sign of the element, where that is farther from zero."""
    x: Tensor = given.inputs[0]
    return torch.where(x.abs() > operator.limit, x.sign() * operator.limit, x)


def head_norm(operator: Any, given: Given) -> Tensor:
    """Head by head, with the gain of all or of the head."""
    x: Tensor = given.inputs[0]
    norm, heads = operator.norm, []
    for n, each in enumerate(x.unbind(1)):
        own = {k: v if v.dim() == 1 else v[n] for k, v in given.weights.items()}
        middle = each - each.mean(dim=-1, keepdim=True) if isinstance(norm, ops.LayerNorm) else each
        squares = (middle**2).sum(dim=-1, keepdim=True)
        if isinstance(norm, ops.L2Norm):
            heads.append(each / squares.sqrt())
            continue
        gain = own.get("weight", torch.tensor(1.0)) + getattr(norm, "unit_offset", False)
        y = middle / torch.sqrt(squares / x.shape[-1] + norm.eps) * gain
        heads.append(y + own.get("bias", 0))
    return torch.stack(heads, dim=1)


def temperatures(operator: Any, given: Given) -> Tensor:
    """Nakanishi 2025 as Llama 4 has it, place by place."""
    x, pos = given.inputs
    first = pos or 0
    factors = [_factor(operator, t) for t in range(first, first + x.shape[1])]
    return torch.tensor(factors)[:, None]


def placed_temperatures(operator: Any, given: Given) -> Tensor:
    """The same of given places."""
    rows = [[_factor(operator, t) for t in row] for row in given.inputs[0].tolist()]
    return torch.tensor(rows)[:, None, :, None]


def _factor(operator: Any, place: int) -> float:
    scale: float = operator.scale
    return 1 + scale * math.log(1 + (place + 1) // operator.floor)


RULES: Mapping[type, Callable[[Any, Given], Any]] = {
    ops.BiasedAttention: attention,
    ops.Clip: clip,
    ops.ExplicitAttention: attention,
    ops.HeadNorm: head_norm,
    ops.LatentAttention: latent_attention,
    ops.PerHeadNorm: head_norm,
    ops.PlacedTemperatures: placed_temperatures,
    ops.RowCacheUpdate: row_cache,
    ops.ScaledDotProductAttention: attention,
    ops.HandOver: lambda o, g: g.inputs[0],
    ops.PastState: lambda o, g: g.inputs[0],
    ops.PresentState: lambda o, g: g.inputs[0],
    ops.Sharpen: lambda o, g: g.inputs[0] * g.inputs[1],
    ops.Temperatures: temperatures,
    ops.ScoreSum: lambda o, g: g.weights["weight"],
    ops.Sink: lambda o, g: g.weights["weight"],
}
