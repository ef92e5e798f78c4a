"""Attention: projections, heads, positions, the cache, the mixture and the projection back."""

import re
from dataclasses import dataclass

from archspec.components.attention import Attention
from archspec.components.rope import Rope
from compiler.ir.graph import Value
from compiler.ir.size import Poly, Size
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Need, Scope, Stream
from compiler.ops import (
    CacheUpdate,
    Linear,
    MergeHeads,
    RopeAngles,
    Rotate,
    ScaledDotProductAttention,
    SplitHeads,
)


@dataclass(frozen=True)
class Around:
    """What a layer finds around it.

    Attributes:
        stream: the main path that comes in.
        streams: every named edge so far, with its type, for cross-attention.
        cached: whether decoding keeps keys and values of this path.
        draws: how weights are drawn.
    """

    stream: Stream
    streams: dict[str, tuple[Stream, TensorType]]
    cached: bool
    draws: Draws


def attention(
    scope: Scope, component: Attention, x: Value, around: Around, dropout: float = 0.0
) -> Value:
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2), keys and values in `kv_heads` groups."""
    batch, target, width = scope.type(x).shape
    head_dim = component.head_dim or _head_dim(scope, component, scope.width(x))
    heads = scope.letters.fixed("heads", component.heads, component.heads.said)
    grouped = component.kv_heads != component.heads
    groups = (
        scope.letters.fixed("kv_heads", component.kv_heads, component.kv_heads.said)
        if grouped
        else heads
    )
    size = scope.letters.fixed("head_dim", head_dim, getattr(component.head_dim, "said", ""))
    values = size
    if component.value_dim and component.value_dim != head_dim:
        values = scope.letters.fixed(
            "head_dim", component.value_dim, component.value_dim.said, "value head width"
        )
    other = component.source != "self"
    looked, source = around.stream, x
    if other:
        looked, found = around.streams[component.source]
        source = scope.need(Need("memory", (component.source,)), found, "memory")

    def project(id_: str, value: Value, count: Poly, each: Size) -> Value:
        linear = Linear(
            count * each,
            id_ in component.bias,
            around.draws.inner(scope.width(value), scope.width(x)),
        )
        flat = scope.op(id_, linear, value) if id_ in component.projections else value
        return scope.op(f"{id_}_heads", SplitHeads(count, each), flat)

    q = project("q", x, heads, size)
    k, v = project("k", source, groups, size), project("v", source, groups, values)
    if component.rope is not None:
        q, k = _turned(scope, component.rope, q, k, head_dim, around)
    causal = component.mask == "causal"
    if causal and around.cached:
        k, v = _kept(scope, k, v)
    seen = _seen(scope, around, looked, causal, (batch, target, scope.type(k).shape[2]))
    mixture = ScaledDotProductAttention(causal, grouped, component.scale, dropout)
    y = scope.op("merge", MergeHeads(), scope.op("sdpa", mixture, q, k, v, seen))
    if "o" not in component.projections:
        return y
    last = around.draws.residual(component.heads * head_dim, scope.width(x))
    return scope.op("o", Linear(width, "o" in component.bias, last), y)


def cacheable(component: Attention) -> bool:
    """Whether decoding can keep the keys and values of this attention."""
    alike = component.value_dim is None or component.value_dim == component.head_dim
    return component.mask == "causal" and component.source == "self" and alike


def _head_dim(scope: Scope, component: Attention, width: int) -> int:
    if width % component.heads:
        scope.reject(
            "AR0303",
            f"`heads` must divide the width, {width}",
            f"{component.heads} does not divide {width}",
            "choose heads that divide the width, or write `head_dim`",
            field="heads",
        )
    return width // component.heads


def _turned(
    scope: Scope, rope: Rope, q: Value, k: Value, head_dim: int, around: Around
) -> tuple[Value, Value]:
    turned = rope.dim or round(head_dim * rope.fraction)
    if turned % 2 or turned > head_dim:
        scope.reject(
            "AR0304",
            "rotary positions turn pairs of coordinates",
            f"{turned} of {head_dim} coordinates cannot be paired",
            field="rope",
        )
    partial = turned != head_dim
    size = scope.letters.fixed("head_dim", turned, "", "rotary width" if partial else "")
    place = scope.type(q).shape[2]
    angles = RopeAngles(size, rope.theta, rope.pairs)
    need = Need("angle", (angles, around.stream.input))
    angle = scope.need(need, TensorType("float", (place, size)), "angle")
    operator = Rotate(rope.pairs, partial)
    return scope.op("q_turned", operator, q, angle), scope.op("k_turned", operator, k, angle)


def _kept(scope: Scope, k: Value, v: Value) -> tuple[Value, Value]:
    batch, groups, _, size = scope.type(k).shape
    slots, seen = scope.letters.free("cache"), scope.letters.free("seen")
    where = re.sub(r"\[\d+\]", "", scope.where)
    state = TensorType("float", (2, batch, groups, slots, size), optional=True)
    kv = scope.need(Need("kv", (where,)), state, "kv")
    pos = scope.need(Need("pos"), TensorType("int", ()), "pos")
    k, v = scope.ops("cache", CacheUpdate(seen), k, v, kv, pos)
    return k, v


def _seen(
    scope: Scope, around: Around, looked: Stream, causal: bool, sizes: tuple[Size, Size, Size]
) -> Value | None:
    batch, target, source = sizes
    padded = looked.real is not None
    if not padded and not (causal and around.cached):
        return None
    if not causal:
        found = TensorType("bool", (batch, 1, 1, source))
    elif padded:
        found = TensorType("bool", (batch, 1, target, source))
    else:
        found = TensorType("bool", (target, source), optional=True)
    name = "seen" if looked is around.stream else "memory_seen"
    return scope.need(Need("seen", (around.stream.input, looked.input, causal)), found, name)
