"""Attention: projections, heads, positions, the cache, the mixture and the projection back."""

import re
from dataclasses import dataclass

from archspec.components.attention import Attention
from archspec.components.rope import Rope
from compiler.ir.graph import Value
from compiler.ir.size import Poly, Size, as_poly
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Need, Scope, Stream, fixed
from compiler.lower.sight import Sight
from compiler.ops import (
    CacheUpdate,
    JointCacheUpdate,
    Linear,
    MergeHeads,
    PlacedAngles,
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
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2), keys and values in `kv_heads`
    groups."""
    batch, target, width = scope.sequence(x, component.word)
    heads, groups, size, values = _sizes(scope, component, scope.width(x))
    looked, source = around.stream, x
    if component.source != "self":
        looked, found = around.streams[component.source]
        source = scope.need(Need("memory", (component.source,)), found, "memory")
        scope.sequence(source, "source")
    q = _projected(scope, component, around.draws, "q", x, heads, size)
    k = _projected(scope, component, around.draws, "k", source, groups, size)
    v = _projected(scope, component, around.draws, "v", source, groups, values)
    if component.rope is not None:
        restarts = component.segments and _packed(scope, around.stream)
        head_dim = fixed(scope.letters.fix(size))
        q, k = _turned(scope, component.rope, q, k, head_dim, around, restarts)
    causal = component.mask == "causal"
    if causal and around.cached:
        k, v = _kept(scope, k, v)
    sight = _sight(scope, component, around, looked)
    seen = _seen(scope, around, looked, sight, (batch, target, scope.type(k).shape[2]))
    scale = 1.0 if component.score == "dot" else component.scale
    window, chunk = component.window, component.chunk
    grouped = component.kv_heads != component.heads
    mixture = ScaledDotProductAttention(causal, grouped, scale, dropout, window, chunk)
    y = scope.op("merge", MergeHeads(), scope.op("sdpa", mixture, q, k, v, seen))
    if "o" not in component.projections:
        return y
    last = around.draws.residual(scope.width(y), scope.width(x))
    return scope.op("o", Linear(width, "o" in component.bias, last), y)


def cacheable(component: Attention) -> bool:
    """Whether decoding can keep the keys and values of this attention."""
    return component.mask == "causal" and component.source == "self"


def _sizes(scope: Scope, component: Attention, width: int) -> tuple[Poly, Poly, Poly, Poly]:
    """Query heads, key heads, the width of a key and of a value."""
    letters, count, values = scope.letters, component.kv_heads, component.value_dim
    head_dim = component.head_dim or _head_dim(scope, component, width)
    heads = letters.fixed("heads", component.heads, component.heads.said)
    grouped = count != component.heads
    groups = letters.fixed("kv_heads", count, count.said) if grouped else heads
    size = letters.fixed("head_dim", head_dim, getattr(component.head_dim, "said", ""))
    if not values or values == head_dim:
        return heads, groups, size, size
    own = letters.fixed("head_dim", values, values.said, "value head width")
    return heads, groups, size, own


def _projected(
    scope: Scope, component: Attention, draws: Draws, id_: str, x: Value, count: Poly, each: Poly
) -> Value:
    """`x` in heads, mapped before where the letter `id_` is among the projections."""
    wide = fixed(scope.letters.fix(count * each))
    if id_ in component.projections:
        init = draws.inner(scope.width(x), wide)
        x = scope.op(id_, Linear(count * each, id_ in component.bias, init), x)
    elif scope.width(x) != wide:
        scope.reject(
            "AR0301",
            f"`{id_}` is not projected, so its vectors must be {wide} wide",
            f"they are {scope.width(x)} wide",
            f"project `{id_}`, or choose heads and widths that fit",
            field="projections",
        )
    return scope.op(f"{id_}_heads", SplitHeads(count, each), x)


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
    scope: Scope, rope: Rope, q: Value, k: Value, head_dim: int, around: Around, restarts: bool
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
    batch, _, place, _ = scope.type(q).shape
    kind = PlacedAngles if restarts else RopeAngles
    angles = kind(size, rope.theta, rope.pairs)
    shape = (batch, as_poly(1), place, size) if restarts else (place, size)
    need = Need("angle", (angles, around.stream.input))
    angle = scope.need(need, TensorType("float", shape), "angle")
    operator = Rotate(rope.pairs, partial, restarts)
    return scope.op("q_turned", operator, q, angle), scope.op("k_turned", operator, k, angle)


def _kept(scope: Scope, k: Value, v: Value) -> tuple[Value, Value]:
    batch, groups, _, size = scope.type(k).shape
    wide = scope.type(v).shape[3]
    slots, seen = scope.letters.free("cache"), scope.letters.free("seen")
    where = re.sub(r"\[\d+\]", "", scope.where)
    operator: CacheUpdate | JointCacheUpdate = CacheUpdate(seen)
    shape: tuple[Size, ...] = (2, batch, groups, slots, size)
    if size != wide:
        both = fixed(scope.letters.fix(size + as_poly(wide)))
        joint = scope.letters.fixed("head_dim", both, "", "key and value width")
        operator, shape = JointCacheUpdate(seen, joint), (batch, groups, slots, joint)
    state = TensorType("float", shape, optional=True)
    kv = scope.need(Need("kv", (where, state)), state, "kv")
    pos = scope.need(Need("pos"), TensorType("int", ()), "pos")
    k, v = scope.ops("cache", operator, k, v, kv, pos)
    return k, v


def _packed(scope: Scope, stream: Stream) -> bool:
    """Whether a path begins at an input with several documents a row."""
    return stream.input in scope.spec.inputs and scope.spec.inputs[stream.input].segments


def _sight(scope: Scope, component: Attention, around: Around, looked: Stream) -> Sight:
    packed = _packed(scope, around.stream) and _packed(scope, looked)
    return Sight(
        around.stream.input,
        looked.input,
        component.mask == "causal",
        component.window,
        component.chunk,
        component.segments and packed,
        component.mask_edge or "",
    )


def _seen(
    scope: Scope, around: Around, looked: Stream, sight: Sight, sizes: tuple[Size, Size, Size]
) -> Value | None:
    batch, target, source = sizes
    padded = looked.real is not None
    if sight.plain and not padded and not (sight.causal and around.cached):
        return None
    by_row = TensorType("bool", (batch, 1, target, source))
    if not sight.plain:
        found = by_row if padded or sight.by_row else TensorType("bool", (target, source))
    elif not sight.causal:
        found = TensorType("bool", (batch, 1, 1, source))
    elif padded:
        found = by_row
    else:
        found = TensorType("bool", (target, source), optional=True)
    name = "seen" if looked is around.stream else "memory_seen"
    return scope.need(Need("seen", (sight,)), found, name)
