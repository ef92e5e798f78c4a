"""The cache: keys and values of earlier positions join those of new ones."""

import re

from archspec.components.attention import Attention
from compiler.ir.graph import Value
from compiler.ir.size import Size, as_poly
from compiler.ir.types import TensorType
from compiler.lower.scope import Need, Scope, fixed
from compiler.ops import CacheUpdate, JointCacheUpdate


def cacheable(component: Attention) -> bool:
    """Whether decoding can keep the keys and values of this attention: a prefix whose positions see
    later ones of it would have to be there at once."""
    return component.mask == "causal" and component.source == "self" and component.prefix is None


def kept(scope: Scope, k: Value, v: Value) -> tuple[Value, Value]:
    """All keys and values seen so far, the new ones last."""
    batch, groups, _, size = scope.type(k).shape
    wide = scope.type(v).shape[3]
    slots, seen = scope.letters.free("cache"), scope.letters.free("seen")
    operator: CacheUpdate | JointCacheUpdate = CacheUpdate(seen)
    shape: tuple[Size, ...] = (2, batch, groups, slots, size)
    if size != wide:
        both = fixed(scope.letters.fix(size + as_poly(wide)))
        joint = scope.letters.fixed("head_dim", both, "", "key and value width")
        operator, shape = JointCacheUpdate(seen, joint), (batch, groups, slots, joint)
    k, v = scope.ops("cache", operator, k, v, *cache(scope, shape))
    return k, v


def cache(scope: Scope, shape: tuple[Size, ...]) -> tuple[Value, Value]:
    """What a decoder has kept here, of a shape, and how many positions it has seen."""
    where = re.sub(r"\[\d+\]", "", scope.where)
    state = TensorType("float", shape, optional=True)
    kv = scope.need(Need("kv", (where, state)), state, "kv")
    return kv, scope.need(Need("pos"), TensorType("int", ()), "pos")
