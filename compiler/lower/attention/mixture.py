"""The mixture of values by the likeness of queries and keys."""

from archspec.components.attention import Attention
from compiler.ir.graph import Value
from compiler.lower.scope import Scope
from compiler.ops import (
    BiasedAttention,
    ExplicitAttention,
    ScaledDotProductAttention,
    ScoreSum,
    Sink,
)


def explicit(component: Attention) -> bool:
    """Whether no fused kernel computes an attention."""
    return component.softcap is not None or component.sink or component.score == "additive"


def mixture(
    scope: Scope,
    component: Attention,
    q: Value,
    k: Value,
    v: Value,
    seen: Value | None,
    dropout: float,
    bias: Value | None = None,
) -> Value:
    """Heads [B, H, T, W] of the mixed values; `bias` [N, H, T, S] is added to the scaled scores."""
    far = component.prefix is not None
    fields = (
        component.mask == "causal" and not far,
        component.kv_heads != component.heads,
        1.0 if component.score == "dot" else component.scale,
        dropout,
        None if far else component.window,
        None if far else component.chunk,
    )
    if explicit(component):
        _, heads, _, width = scope.type(q).shape
        sink = scope.op("sink", Sink(heads)) if component.sink else None
        added = component.score == "additive"
        weighed = scope.op("score", ScoreSum(heads, width)) if added else None
        operator = ExplicitAttention(*fields, component.softcap)
        return scope.op("sdpa", operator, q, k, v, seen, bias, sink, weighed)
    if bias is None:
        return scope.op("sdpa", ScaledDotProductAttention(*fields), q, k, v, seen)
    return scope.op("sdpa", BiasedAttention(*fields), q, k, v, seen, bias)
