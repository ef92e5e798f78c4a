"""Temperature: queries sharpened with their position."""

from archspec.components.temperature import Temperature
from compiler.ir.graph import Value
from compiler.ir.size import as_poly
from compiler.ir.types import TensorType
from compiler.lower.attention.around import Around
from compiler.lower.scope import Need, Scope
from compiler.ops import PlacedTemperatures, Sharpen, Temperatures


def sharpened(
    scope: Scope, component: Temperature, q: Value, around: Around, restarts: bool
) -> Value:
    """Queries times the factor of their place; with `restarts` the places count from the start of
    each document."""
    batch, _, place, _ = scope.type(q).shape
    one = as_poly(1)
    kind = PlacedTemperatures if restarts else Temperatures
    shape = (batch, one, place, one) if restarts else (place, one)
    need = Need("factor", (kind(component.scale, int(component.floor)), around.stream.input))
    factor = scope.need(need, TensorType("float", shape), "factor")
    return scope.op("q_sharpened", Sharpen(restarts), q, factor)
