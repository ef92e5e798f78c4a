"""From the component to its operator."""

from compiler.ir.graph import Value
from compiler.lower.attention import Around
from compiler.lower.scope import Scope

from .component import TokenShift
from .operator import PreviousMix


def token_shift(scope: Scope, component: TokenShift, x: Value, around: Around) -> Value:
    """[B, T, D] to the same."""
    scope.sequence(x, component.word)
    return scope.op("shift", PreviousMix(component.start), x)
