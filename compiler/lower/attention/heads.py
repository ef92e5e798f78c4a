"""The heads of an attention: how many and how wide, and the projections into them."""

from archspec.components.attention import Attention
from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.size import Poly
from compiler.lower.draws import Draws
from compiler.lower.norm import norm
from compiler.lower.scope import Scope, fixed
from compiler.ops import Clip, Linear, SplitHeads


class Heads(Frozen):
    """Query heads, key heads, the width of a query or key and of a value."""

    queries: Poly
    keys: Poly
    width: Poly
    values: Poly


def heads(scope: Scope, component: Attention, width: int) -> Heads:
    """The heads of an attention over vectors of a `width`."""
    letters, count, values = scope.letters, component.kv_heads, component.value_dim
    head_dim = component.head_dim or _head_dim(scope, component, width)
    queries = letters.fixed("heads", component.heads, component.heads.said)
    grouped = count != component.heads
    keys = letters.fixed("kv_heads", count, count.said) if grouped else queries
    size = letters.fixed("head_dim", head_dim, getattr(component.head_dim, "said", ""))
    if not values or values == head_dim:
        return Heads(queries, keys, size, size)
    own = letters.fixed("head_dim", values, values.said, "value head width")
    return Heads(queries, keys, size, own)


def projected(
    scope: Scope, component: Attention, draws: Draws, id_: str, x: Value, count: Poly, each: Poly
) -> Value:
    """`x` in `count` heads of the width `each`, mapped before where the letter `id_` is among the
    projections."""
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
    normed = component.qk_norm if id_ in "qk" else None
    if normed is not None and normed.over == "all":
        x = norm(scope, f"{id_}_norm", normed.norm, x)
    if component.clip_qkv is not None:
        x = scope.op(f"{id_}_clip", Clip(component.clip_qkv), x)
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
