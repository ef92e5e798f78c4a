"""Rotary positions: the angles of a sequence's places and the operator that turns by them."""

from archspec.components.rope import Rope
from archspec.components.rope_scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongropeScaling,
    ProportionalScaling,
    YarnScaling,
)
from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.size import Size, as_poly
from compiler.ir.types import TensorType
from compiler.lower.scope import Need, Scope
from compiler.ops import PlacedAngles, RopeAngles, Rotate
from compiler.ops.rope_by_length import Dynamic, Longrope
from compiler.ops.rope_scaling import Linear, Llama3, Proportional, Scaling, Yarn


class Places(Frozen):
    """The positions that are turned: of which input, its batch and length, and whether they begin
    anew with each document."""

    input: str
    batch: Size
    length: Size
    restarts: bool


class Turn(Frozen):
    """How heads are turned: by an operator, by the angles of their places."""

    operator: Rotate
    angle: Value

    def of(self, scope: Scope, id_: str, heads: Value) -> Value:
        """`heads` [B, N, T, K], turned."""
        return scope.op(id_, self.operator, heads, self.angle)


def turn(scope: Scope, rope: Rope, head_dim: int, places: Places) -> Turn:
    """The turn of heads `head_dim` wide; the angles are made once for all that turn alike."""
    share = rope.turning(head_dim)
    if share % 2 or not 0 < share <= head_dim:
        scope.reject(
            "AR0304",
            "rotary positions turn pairs of coordinates",
            f"{share:g} of {head_dim} coordinates cannot be paired",
            field="rope",
        )
    turning = int(share)
    width = head_dim if isinstance(rope.scaling, ProportionalScaling) else turning
    partial = width != head_dim
    size = scope.letters.fixed("head_dim", width, "", "rotary width" if partial else "")
    kind = PlacedAngles if places.restarts else RopeAngles
    angles = kind(size, rope.theta, rope.pairs, scaling(scope, rope, turning))
    shape = (places.length, size)
    found = TensorType("float", (places.batch, as_poly(1), *shape) if places.restarts else shape)
    angle = scope.need(Need("angle", (angles, places.input)), found, "angle")
    gain = 1.0 if rope.scaling is None else rope.scaling.gain
    return Turn(Rotate(rope.pairs, partial, places.restarts, gain if gain != 1 else None), angle)


def scaling(scope: Scope, rope: Rope, turning: int) -> Scaling | None:
    """What the rates of `turning` coordinates are instead of powers of the base."""
    match rope.scaling:
        case LinearScaling(factor=factor):
            return Linear(factor)
        case DynamicScaling() as found:
            if turning == 2:
                _reject(scope, "a single pair has no slower ones", "`dynamic` needs two pairs")
            return Dynamic(found.factor, found.original)
        case Llama3Scaling() as found:
            return Llama3(
                found.factor, found.original, found.low_freq_factor, found.high_freq_factor
            )
        case YarnScaling() as found:
            return Yarn(
                found.factor, found.original, found.beta_fast, found.beta_slow, found.truncate
            )
        case LongropeScaling() as found:
            if len(found.short_factor) != turning // 2:
                label = f"{len(found.short_factor)} factors for {turning // 2} pairs"
                _reject(scope, "`longrope` has a factor for every pair that turns", label)
            return Longrope(found.original, found.short_factor, found.long_factor)
        case ProportionalScaling(factor=factor):
            return Proportional(turning // 2, factor)
    return None


def _reject(scope: Scope, message: str, label: str) -> None:
    scope.reject("AR0330", message, label, field="rope.scaling")
