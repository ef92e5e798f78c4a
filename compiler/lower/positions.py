"""Absolute positions added to a sequence: a learned table or sinusoids."""

from archspec.components.positions import Learned
from archspec.components.positions import Sinusoid as Waves
from compiler.ir.graph import Value
from compiler.ir.size import constant
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Need, Scope
from compiler.ops import AddRows, LearnedPositions, Sinusoid


def positions(
    scope: Scope, component: Learned | Waves, x: Value, cached: bool, draws: Draws
) -> Value:
    """`x` plus a vector for each place; a decoder counts from the positions it has seen."""
    pos = scope.need(Need("pos"), TensorType("int", ()), "pos") if cached else None
    if isinstance(component, Waves):
        if scope.width(x) % 2:
            scope.reject("AR0304", "sinusoids come in pairs", f"the width {scope.width(x)} is odd")
        shortened = component.span == "d-2"
        rows = scope.op("places", Sinusoid(component.base, component.layout, shortened), x, pos)
        return scope.op("placed", AddRows(), x, rows)
    places, width = scope.type(x).shape[-2:]
    length = constant(scope.letters.fix(places))
    size = component.size + component.offset
    if length is not None and length + component.offset > size:
        scope.reject(
            "AR0305",
            f"the table has {component.size} positions for {length} vectors",
            f"at least {length} needed",
        )
    whole = length == size
    rows_letter = places if whole else scope.letters.fixed("table", size, component.size.said)
    table = LearnedPositions(rows_letter, width, component.offset, whole, draws.table())
    return scope.op("placed", AddRows(), x, scope.op("positions", table, x, pos))
