"""Rotary positions: queries and keys turned by the angles of their places."""

from archspec.components.rope import Rope
from compiler.ir.graph import Value
from compiler.ir.size import as_poly
from compiler.ir.types import TensorType
from compiler.lower.attention.around import Around
from compiler.lower.scope import Need, Scope
from compiler.ops import PlacedAngles, RopeAngles, Rotate


def turned(
    scope: Scope, rope: Rope, q: Value, k: Value, head_dim: int, around: Around, restarts: bool
) -> tuple[Value, Value]:
    """Queries and keys with their first coordinates turned; with `restarts` the places count from
    the start of each document."""
    width = rope.dim or round(head_dim * rope.fraction)
    if width % 2 or width > head_dim:
        scope.reject(
            "AR0304",
            "rotary positions turn pairs of coordinates",
            f"{width} of {head_dim} coordinates cannot be paired",
            field="rope",
        )
    partial = width != head_dim
    size = scope.letters.fixed("head_dim", width, "", "rotary width" if partial else "")
    batch, _, place, _ = scope.type(q).shape
    kind = PlacedAngles if restarts else RopeAngles
    angles = kind(size, rope.theta, rope.pairs)
    shape = (batch, as_poly(1), place, size) if restarts else (place, size)
    need = Need("angle", (angles, around.stream.input))
    angle = scope.need(need, TensorType("float", shape), "angle")
    operator = Rotate(rope.pairs, partial, restarts)
    return scope.op("q_turned", operator, q, angle), scope.op("k_turned", operator, k, angle)
