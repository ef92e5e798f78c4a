"""Rotary positions: queries and keys turned by the angles of their places."""

from archspec.components.rope import Rope
from compiler.ir.graph import Value
from compiler.lower.attention.around import Around
from compiler.lower.rope import Places, turn
from compiler.lower.scope import Scope


def turned(
    scope: Scope, rope: Rope, q: Value, k: Value, head_dim: int, around: Around, restarts: bool
) -> tuple[Value, Value]:
    """Queries and keys with their first coordinates turned; with `restarts` the places count from
    the start of each document."""
    batch, _, length, _ = scope.type(q).shape
    made = turn(scope, rope, head_dim, Places(around.stream.input, batch, length, restarts))
    return made.of(scope, "q_turned", q), made.of(scope, "k_turned", k)
