"""A gate on what the heads give."""

from compiler.ir.graph import Value
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.ops import Activation, Linear, Multiply


def gated(scope: Scope, draws: Draws, x: Value, y: Value) -> Value:
    """`y` times the sigmoid of a linear map of the attention's input, element by element (Qiu et
    al. 2025, eq. 5)."""
    width = scope.type(y).shape[2]
    init = draws.inner(scope.width(x), scope.width(y))
    gate = scope.op("gate", Linear(width, init=init), x)
    return scope.op("gated", Multiply(), y, scope.op("gate_act", Activation("sigmoid"), gate))
