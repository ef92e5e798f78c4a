"""The weights of a program in integers, read off the listing that its ONNX files are made from."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from compiler.ir.operator import Operator
from compiler.ir.program import Program, first_layer, join
from compiler.ir.size import value
from compiler.ir.target import Target
from compiler.passes.held import Held


def held_of(program: Program) -> Held:
    """The weights of a lowered program; its listing is made when somebody asks."""
    return Held(partial(_each, program))


def _each(program: Program, target: Target) -> Mapping[str, Fraction]:
    """What a build joins is rounded together: q, k and v have the bytes of the map that they are
    in."""
    from compiler.backends.onnx.held import held_bytes
    from compiler.passes.fuse import MAPS, fuse
    from compiler.passes.served import served

    fused = fuse(program)
    held = {first_layer(n): size for n, size in held_bytes(served(fused).values(), target).items()}
    found: dict[str, Fraction] = {}
    for place in fused.places():
        above, _, own = first_layer(place.path).rpartition(".")
        operator = place.node.what
        assert isinstance(operator, Operator)
        parts = [name for name, _ in operator.parts] if isinstance(operator, MAPS) else []
        owned = operator.parameters(place.graph.types(place.node.inputs), fused.key)
        for name, parameter in owned.items():
            size = held.get(join(above, f"{own}.{name}"), 0)
            each = Fraction(size, value(fused.key.fix(parameter.count)))
            found.update({join(above, f"{part}.{name}"): each for part in parts or [own]})
    return found
