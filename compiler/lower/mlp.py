"""The position-wise feed-forward network, plain or gated."""

from archspec.components.mlp import Mlp
from compiler.ir.graph import Value
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.ops import Activation, Dropout, Linear, Multiply


def mlp(scope: Scope, component: Mlp, x: Value, draws: Draws, dropout: float) -> Value:
    """`down(act(up x))` (Vaswani et al. 2017, eq. 2), or `down(act(gate x) * up x)` (Shazeer 2020,
    eq. 5)."""
    width = scope.type(x).shape[-1]
    hidden = scope.letters.fixed("hidden", component.hidden, component.hidden.said)
    wide = Linear(hidden, bias=component.bias, init=draws.inner(scope.width(x), component.hidden))
    if component.gated:
        gate = scope.op("gate", wide, x)
        up = scope.op("up", wide, x)
        inner = scope.op("mix", Multiply(), scope.op("act", Activation(component.act), gate), up)
    else:
        inner = scope.op("act", Activation(component.act), scope.op("up", wide, x))
    if dropout:
        inner = scope.op("drop", Dropout(dropout), inner)
    narrow = Linear(
        width, bias=component.bias, init=draws.residual(component.hidden, scope.width(x))
    )
    return scope.op("down", narrow, inner)
