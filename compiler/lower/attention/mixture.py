"""The mixture of values by the likeness of queries and keys."""

from archspec.components.attention import Attention
from compiler.ir.graph import Value
from compiler.lower.scope import Scope
from compiler.ops import BiasedAttention, ExplicitAttention, ScaledDotProductAttention, Sink


def explicit(component: Attention) -> bool:
    """Whether no fused kernel computes an attention."""
    return component.softcap is not None or component.sink


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
    fields = (
        component.mask == "causal",
        component.kv_heads != component.heads,
        1.0 if component.score == "dot" else component.scale,
        dropout,
        component.window,
        component.chunk,
    )
    if explicit(component):
        heads = scope.type(q).shape[1]
        sink = scope.op("sink", Sink(heads)) if component.sink else None
        operator = ExplicitAttention(*fields, component.softcap)
        return scope.op("sdpa", operator, q, k, v, seen, bias, sink)
    if bias is None:
        return scope.op("sdpa", ScaledDotProductAttention(*fields), q, k, v, seen)
    return scope.op("sdpa", BiasedAttention(*fields), q, k, v, seen, bias)
