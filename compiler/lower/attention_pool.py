"""A pool by attention: a learned query over a sequence, obeying its padding."""

from archspec.components.attention import Attention
from archspec.components.attention_pool import AttentionPool
from compiler.ir.graph import Value
from compiler.lower.attention.heads import heads, projected
from compiler.lower.attention.mixture import mixture
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope, Stream
from compiler.ops import IndexPool, KeyMask, Linear, MergeHeads, Probe


def attention_pool(
    scope: Scope, component: AttentionPool, x: Value, stream: Stream, draws: Draws
) -> Value:
    """[B, T, D] to [B, D] (Lee et al. 2019, eq. 11); `x` is the value of the `stream` in here."""
    batch, places, width = scope.sequence(x, "pool")
    written = Attention(heads=component.heads, head_dim=component.head_dim, bias=component.bias)
    sizes = heads(scope, written, scope.width(x))
    probe = scope.op("probe", Probe(init=draws.table()), x)
    q = projected(scope, written, draws, "q", probe, sizes.queries, sizes.width)
    k = projected(scope, written, draws, "k", x, sizes.keys, sizes.width)
    v = projected(scope, written, draws, "v", x, sizes.keys, sizes.values)
    real = scope.real(stream, batch, places)
    seen = None if real is None else scope.op("seen", KeyMask(), real, probe)
    y = scope.op("merge", MergeHeads(), mixture(scope, written, q, k, v, seen, 0.0))
    last = draws.residual(scope.width(y), scope.width(x))
    y = scope.op("o", Linear(width, "o" in written.bias, last), y)
    return scope.op("only", IndexPool(0), y)
