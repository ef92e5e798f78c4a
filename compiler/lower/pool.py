"""Pools: one vector a sequence, obeying its padding."""

from archspec.components.pool import Pool
from compiler.ir.graph import Value
from compiler.ir.size import constant
from compiler.lower.scope import Scope, Stream
from compiler.ops import EosPool, IndexPool, LastPool, MaskedMeanPool, MeanPool


def pool(scope: Scope, id_: str, component: Pool, stream: Stream, ids: Value | None) -> Value:
    """[B, T, D] to [B, D]."""
    x, real = stream.value, stream.real
    _reaches(scope, component, x)
    match component.kind:
        case "first":
            return scope.op(id_, IndexPool(0), x)
        case "index":
            if real is not None and component.index < 0:
                return scope.op(id_, LastPool(-1 - int(component.index)), x, real)
            return scope.op(id_, IndexPool(component.index), x)
        case "last":
            return scope.op(id_, LastPool(), x, real)
        case "eos":
            token = None if component.token in (None, "max_id") else int(component.token)
            return scope.op(id_, EosPool(token), x, ids, real)
        case "attention":
            raise ValueError("a pool by attention has a graph of its own")
        case "mean":
            if real is not None:
                return scope.op(id_, MaskedMeanPool(component.skip), x, real)
            maybe_none = component.skip > 0 and _length(scope, x) is None
            return scope.op(id_, MeanPool(component.skip, maybe_none), x)


def _length(scope: Scope, x: Value) -> int | None:
    """The number of positions where it is fixed."""
    shape = scope.type(x).shape
    return constant(scope.letters.fix(shape[1])) if len(shape) == 3 else None


def _reaches(scope: Scope, component: Pool, x: Value) -> None:
    """Rejects a place that a sequence of fixed length does not have."""
    length = _length(scope, x)
    index = component.index
    needed = max(index + 1, -index) if component.kind == "index" else int(component.skip) + 1
    if length is not None and needed > length:
        scope.reject(
            "AR0305",
            f"the pool reaches past a sequence of length {length}",
            f"a length of {needed} is needed",
        )
