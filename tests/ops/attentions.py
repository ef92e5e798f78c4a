"""What attention and the operators around it compute, written from their definitions."""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from compiler import ops

if TYPE_CHECKING:
    from tests.ops.reference import Given


def attention(operator: Any, given: "Given") -> Tensor:
    """Softmax of scaled scores over what each query sees; zeros where it sees nothing."""
    q, k, v, seen, bias, sink = (*given.inputs, None, None)[:6]
    groups = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(groups, dim=1) for x in (k, v))
    scale = operator.scale or 1 / math.sqrt(q.shape[-1])
    scores = torch.einsum("bhtk,bhsk->bhts", q, k) * scale
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


def clip(operator: Any, given: "Given") -> Tensor:
    """The limit with the sign of the element, where that is farther from zero."""
    x: Tensor = given.inputs[0]
    return torch.where(x.abs() > operator.limit, x.sign() * operator.limit, x)


RULES: Mapping[type, Callable[[Any, "Given"], Any]] = {
    ops.BiasedAttention: attention,
    ops.Clip: clip,
    ops.ExplicitAttention: attention,
    ops.ScaledDotProductAttention: attention,
    ops.Sink: lambda o, g: g.weights["weight"],
}
