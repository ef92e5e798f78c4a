"""What is done to queries and keys between their projection and their product."""

from archspec.components.attention import Attention
from archspec.components.qk_norm import QkNorm
from compiler.ir.graph import Value
from compiler.lower.attention.around import Around
from compiler.lower.attention.sharpen import sharpened
from compiler.lower.attention.turn import turned
from compiler.lower.norm import norm_operator
from compiler.lower.scope import Scope, fixed
from compiler.ops import HeadNorm, L2Norm, PerHeadNorm


def comparable(
    scope: Scope, component: Attention, q: Value, k: Value, around: Around
) -> tuple[Value, Value]:
    """Queries and keys [B, N, T, K] normed, turned and sharpened, in this order or the norm behind
    the turn."""
    restarts = component.segments and scope.packs(around.stream.input)
    norm = component.qk_norm if component.qk_norm and component.qk_norm.over != "all" else None
    if norm is not None and norm.when == "before_rope":
        q, k = _normed(scope, norm, q, k)
    if component.rope is not None:
        head_dim = fixed(scope.letters.fix(scope.type(q).shape[3]))
        q, k = turned(scope, component.rope, q, k, head_dim, around, restarts)
    if norm is not None and norm.when == "after_rope":
        q, k = _normed(scope, norm, q, k)
    if component.temperature is not None:
        q = sharpened(scope, component.temperature, q, around, restarts)
    return q, k


def _normed(scope: Scope, component: QkNorm, q: Value, k: Value) -> tuple[Value, Value]:
    """Each head divided by its size; with a gain that all heads share, or with one each."""
    norm = norm_operator(component.norm)
    each = component.over == "per_head" and not isinstance(norm, L2Norm) and norm.weight
    operator = PerHeadNorm(norm) if each and not isinstance(norm, L2Norm) else HeadNorm(norm)
    return scope.op("q_norm", operator, q), scope.op("k_norm", operator, k)
