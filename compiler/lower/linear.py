"""A linear map of the last dimension, with an activation behind it where asked."""

from archspec.components.linear import Linear as Written
from compiler.ir.graph import Value
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.ops import Activation, Linear


def linear(scope: Scope, id_: str, component: Written, x: Value, draws: Draws) -> Value:
    """[..., D] to [..., `dim`]."""
    width = scope.letters.fixed("width", component.dim, component.dim.said)
    init = draws.inner(scope.width(x), component.dim)
    y = scope.op(id_, Linear(width, component.bias, init), x)
    return (
        y
        if component.act is None
        else scope.op(f"{id_}_{component.act}", Activation(component.act), y)
    )
