"""Attention: projections, heads, positions, the cache, the mixture and the projection back."""

from archspec.components.attention import Attention
from archspec.components.disentangled import Disentangled
from compiler.ir.graph import Value
from compiler.lower.attention.around import Around
from compiler.lower.attention.bias import biased
from compiler.lower.attention.comparable import comparable
from compiler.lower.attention.disentangle import Terms, asked, rescaled
from compiler.lower.attention.gate import gated
from compiler.lower.attention.heads import heads, projected
from compiler.lower.attention.keep import kept
from compiler.lower.attention.mixture import explicit, mixture
from compiler.lower.attention.view import view
from compiler.lower.latent import latent_attention
from compiler.lower.scope import Need, Scope
from compiler.ops import Linear, MergeHeads


def attention(
    scope: Scope, component: Attention, x: Value, around: Around, dropout: float = 0.0
) -> Value:
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2), keys and values in `kv_heads`
    groups."""
    if component.latent is not None:
        return latent_attention(scope, component, component.latent, x, around, dropout)
    _, _, width = scope.sequence(x, component.word)
    sizes = heads(scope, component, scope.width(x))
    looked, source = around.stream, x
    if component.source != "self":
        looked, found = around.streams[component.source]
        source = scope.need(Need("memory", (component.source,)), found, "memory")
        scope.sequence(source, "source")
    draws = around.draws
    component = rescaled(scope, component, sizes)
    terms: Terms = {}
    if isinstance(component.position_bias, Disentangled):
        q, k, terms = asked(scope, component, around, x, sizes)
    else:
        q = projected(scope, component, draws, "q", x, sizes.queries, sizes.width)
        k = projected(scope, component, draws, "k", source, sizes.keys, sizes.width)
    v = projected(scope, component, draws, "v", source, sizes.keys, sizes.values)
    q, k = comparable(scope, component, q, k, around)
    if component.mask == "causal" and around.cached:
        k, v = kept(scope, k, v)
    bias, alone = None, explicit(component)
    if component.position_bias is not None:
        bias = biased(scope, component, around, q, k, terms, hiding=not alone)
    seen = None
    if bias is None or alone:
        seen = view(scope, component, around, looked, q, k, written=alone)
    y = scope.op("merge", MergeHeads(), mixture(scope, component, q, k, v, seen, dropout, bias))
    if component.gate:
        y = gated(scope, draws, x, y)
    if "o" not in component.projections:
        return y
    last = draws.residual(scope.width(y), scope.width(x))
    return scope.op("o", Linear(width, "o" in component.bias, last), y)
