"""Norms: LayerNorm, RMSNorm and unit length, with their options."""

from archspec.components.norm import Norm
from compiler.ir.graph import Value
from compiler.lower.scope import Scope
from compiler.ops import L2Norm, LayerNorm, RmsNorm


def norm(scope: Scope, id_: str, component: Norm, x: Value) -> Value:
    """Normalise the last dimension of `x`."""
    if component.kind == "layer":
        bias = component.affine and component.bias
        offset = component.affine and component.unit_offset
        return scope.op(id_, LayerNorm(component.eps, component.affine, bias, offset), x)
    if component.kind == "l2":
        return scope.op(id_, L2Norm(component.eps), x)
    operator = RmsNorm(
        component.eps,
        weight=component.affine,
        unit_offset=component.unit_offset,
        multiply=component.multiply,
    )
    return scope.op(id_, operator, x)
