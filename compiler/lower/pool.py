"""Pools: one vector a sequence, obeying its padding."""

from archspec.components.pool import Pool
from compiler.ir.graph import Value
from compiler.ir.operator import Operator
from compiler.lower.scope import Scope, Stream
from compiler.ops import EosPool, IndexPool, LastPool, MaskedMeanPool, MeanPool


def pool(scope: Scope, id_: str, component: Pool, stream: Stream, ids: Value | None) -> Value:
    """[B, T, D] to [B, D]."""
    x, real = stream.value, stream.real
    match component.kind:
        case "first":
            return scope.op(id_, IndexPool(0), x)
        case "index":
            return scope.op(id_, IndexPool(component.index), x)
        case "last":
            return scope.op(id_, LastPool(), x, real)
        case "eos":
            token = None if component.token in (None, "max_id") else int(component.token)
            return scope.op(id_, EosPool(token), x, ids)
        case "mean":
            operator: Operator = (
                MeanPool(component.skip) if real is None else MaskedMeanPool(component.skip)
            )
            return scope.op(id_, operator, x) if real is None else scope.op(id_, operator, x, real)
