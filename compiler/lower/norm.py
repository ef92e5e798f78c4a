"""Norms: LayerNorm, RMSNorm and unit length, with their options."""

from archspec.components.norm import Norm
from compiler.ir.graph import Value
from compiler.lower.scope import Scope
from compiler.ops import L2Norm, LayerNorm, RmsNorm


def norm(scope: Scope, id_: str, component: Norm, x: Value) -> Value:
    """Normalise the last dimension of `x`."""
    return scope.op(id_, norm_operator(component), x)


def norm_operator(component: Norm) -> L2Norm | LayerNorm | RmsNorm:
    """The operator of a norm."""
    if component.kind == "layer":
        bias = component.affine and component.bias
        offset = component.affine and component.unit_offset
        return LayerNorm(component.eps, component.affine, bias, offset)
    if component.kind == "l2":
        return L2Norm(component.eps)
    return RmsNorm(
        component.eps,
        weight=component.affine,
        unit_offset=component.unit_offset,
        multiply=component.multiply,
    )
