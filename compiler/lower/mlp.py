"""The position-wise feed-forward network, plain or gated."""

from collections.abc import Callable

from archspec.components.mlp import Mlp
from compiler.ir.graph import Value
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.ops import Activation, ClampedGlu, Dropout, Linear, Multiply


def mlp(scope: Scope, component: Mlp, x: Value, draws: Draws, dropout: float) -> Value:
    """`down(act(up x))` (Vaswani et al. 2017, eq. 2), or `down(act(gate x) * up x)` (Shazeer 2020,
    eq. 5)."""
    width = scope.type(x).shape[-1]
    hidden = scope.letters.fixed("hidden", component.hidden, component.hidden.said)
    wide = Linear(hidden, bias=component.bias, init=draws.inner(scope.width(x), component.hidden))
    inner = inside(scope, component, lambda name: scope.op(name, wide, x), dropout)
    narrow = Linear(
        width, bias=component.bias, init=draws.residual(component.hidden, scope.width(x))
    )
    return scope.op("down", narrow, inner)


def inside(scope: Scope, component: Mlp, mapped: Callable[[str], Value], dropout: float) -> Value:
    """What the last map reads; `mapped` puts the map of a name, `up` or `gate`, on the input."""
    if component.gated:
        y = _gated(scope, component, mapped("gate"), mapped("up"))
    else:
        y = scope.op("act", Activation(component.act), mapped("up"))
    return scope.op("drop", Dropout(dropout), y) if dropout else y


def _gated(scope: Scope, component: Mlp, gate: Value, up: Value) -> Value:
    clamp, alpha, offset = component.clamp, component.alpha, component.up_offset
    if clamp is None and alpha is None and not offset:
        return scope.op("mix", Multiply(), scope.op("act", Activation(component.act), gate), up)
    return scope.op("mix", ClampedGlu(component.act, clamp, alpha, offset), gate, up)
