"""Multi-head latent attention: rows of latent vectors, cached as they are, and heads over them."""

from dataclasses import replace

from archspec.components.attention import Attention
from archspec.components.latent import Latent
from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.size import Poly, as_poly
from compiler.lower.attention.around import Around
from compiler.lower.attention.keep import cache
from compiler.lower.attention.view import view
from compiler.lower.draws import Draws
from compiler.lower.rope import Places, turn
from compiler.lower.scope import Scope, fixed
from compiler.ops import (
    Concat,
    LatentAttention,
    Linear,
    MergeHeads,
    RmsNorm,
    RowCacheUpdate,
    Split,
    SplitHeads,
)


class Widths(Frozen):
    """Query heads; the widths of a query or key head, of its part that turns and of the other one,
    of a value head, of the latent vector and of a row of it with the key's part that turns."""

    heads: Poly
    head: Poly
    turning: Poly
    still: Poly
    value: Poly
    latent: Poly
    row: Poly


def latent_attention(
    scope: Scope, component: Attention, latent: Latent, x: Value, around: Around, dropout: float
) -> Value:
    """DeepSeek-AI 2024 (DeepSeek-V2), eq. 9-19. A decoder keeps one row of every position, for all
    heads."""
    _, _, width = scope.sequence(x, component.word)
    sizes, draws = _widths(scope, component, latent), around.draws
    q = _queries(scope, latent, sizes, x, draws)
    c, k = _keys(scope, latent, sizes, x, draws)
    if component.rope is not None:
        q, k = _turned(scope, component, latent, q, k, around)
    row = scope.op("row", Concat(sizes.row), c, scope.op("k_row", MergeHeads(), k))
    causal = component.mask == "causal"
    kv = None
    if causal and around.cached:
        row, kv = _kept(scope, row)
    operator = LatentAttention(
        sizes.latent,
        sizes.still,
        sizes.turning,
        sizes.value,
        component.scale or (latent.nope_dim + latent.rope_dim) ** -0.5,
        causal,
        dropout,
        component.window,
        component.chunk,
        draws.inner(scope.width(c), component.heads * (latent.nope_dim + latent.v_dim)),
    )
    seen = view(scope, component, around, around.stream, q, row)
    y = scope.op("merge", MergeHeads(), scope.op("kv_b", operator, q, row, seen, kv))
    return scope.op("o", Linear(width, init=draws.residual(scope.width(y), scope.width(x))), y)


def _widths(scope: Scope, component: Attention, latent: Latent) -> Widths:
    def head(size: int, said: str, meaning: str) -> Poly:
        return scope.letters.fixed("head_dim", size, said, meaning)

    heads = scope.letters.fixed("heads", component.heads, component.heads.said)
    return Widths(
        heads,
        head(latent.nope_dim + latent.rope_dim, "", "query and key width"),
        head(latent.rope_dim, latent.rope_dim.said, "rotary width"),
        head(latent.nope_dim, latent.nope_dim.said, "width without rotation"),
        head(latent.v_dim, latent.v_dim.said, "value head width"),
        scope.letters.fixed("width", latent.kv_rank, latent.kv_rank.said, "latent width"),
        head(latent.kv_rank + latent.rope_dim, "", "latent and rotary width"),
    )


def _queries(scope: Scope, latent: Latent, sizes: Widths, x: Value, draws: Draws) -> Value:
    """Queries [B, H, T, K], mapped at once or through a narrower width."""
    wide = sizes.heads * sizes.head
    if latent.q_rank is None:
        q = _mapped(scope, "q", wide, x, draws)
        return scope.op("q_heads", SplitHeads(sizes.heads, sizes.head), q)
    rank = scope.letters.fixed("width", latent.q_rank, latent.q_rank.said, "query rank")
    q = scope.op("q_norm", _inner_norm(latent), _mapped(scope, "q_a", rank, x, draws))
    q = _mapped(scope, "q_b", wide, q, draws)
    return scope.op("q_heads", SplitHeads(sizes.heads, sizes.head), q)


def _keys(
    scope: Scope, latent: Latent, sizes: Widths, x: Value, draws: Draws
) -> tuple[Value, Value]:
    """Latent vectors [B, T, R], and the part of keys that turns [B, 1, T, U]."""
    row = _mapped(scope, "kv_a", sizes.row, x, draws)
    c, k = scope.ops("kv_a_parts", Split((sizes.latent, sizes.turning), ("c", "k")), row)
    c = scope.op("kv_norm", _inner_norm(latent), c)
    return c, scope.op("k_heads", SplitHeads(as_poly(1), sizes.turning), k)


def _inner_norm(latent: Latent) -> RmsNorm:
    """The norm of a narrow vector; as DeepSeek's do, it rounds before it scales."""
    return RmsNorm(latent.eps, multiply="after_cast")


def _mapped(scope: Scope, id_: str, wide: Poly, x: Value, draws: Draws) -> Value:
    init = draws.inner(scope.width(x), fixed(scope.letters.fix(wide)))
    return scope.op(id_, Linear(wide, init=init), x)


def _turned(
    scope: Scope, component: Attention, latent: Latent, q: Value, k: Value, around: Around
) -> tuple[Value, Value]:
    """The last coordinates of queries, and all of the shared part of keys, turned."""
    assert component.rope is not None
    batch, _, length, _ = scope.type(q).shape
    restarts = component.segments and scope.packs(around.stream.input)
    places = Places(around.stream.input, batch, length, restarts)
    whole = turn(scope, component.rope, latent.rope_dim, places)
    part = replace(whole, operator=replace(whole.operator, partial=True, last=True))
    return part.of(scope, "q_turned", q), whole.of(scope, "k_turned", k)


def _kept(scope: Scope, row: Value) -> tuple[Value, Value]:
    """The rows of all positions seen so far, the new ones last, and the cache that holds them."""
    batch, _, wide = scope.type(row).shape
    slots, seen = scope.letters.free("cache"), scope.letters.free("seen")
    kv, pos = cache(scope, (batch, slots, wide))
    return scope.op("cache", RowCacheUpdate(seen), row, kv, pos), kv
