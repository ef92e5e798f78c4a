"""The listing that people read: a repeat is written once, however many layers it stands for."""

from typing import Any

from compiler.backends.onnx.listing import Block, Body, Listing
from compiler.backends.onnx.spot import Spot
from compiler.backends.onnx.walk import Walk
from compiler.ir.graph import Repeat
from compiler.ir.program import Program, layer_mark
from compiler.ir.target import PORTABLE, Target


def folded(program: Program, target: Target = PORTABLE) -> Listing:
    """What `unrolled` gives, repeats folded."""
    return FoldedWalk.through(program, target)


class FoldedWalk(Walk):
    """Writes the bodies of a repeat once, with `0..12` in the place of the layer."""

    def repeat(self, repeat: Repeat, inputs: list[Any], spot: Spot) -> Any:
        """Write one round down as a block; returns the name of what is carried."""
        name, outer = self.sheet.unique(spot.nodes), self.sheet.steps
        carried, bodies = name, []
        for offset in range(len(repeat.bodies)):
            self.sheet.steps = []
            mark = layer_mark(repeat, offset)
            owner = str(repeat.start) if repeat.share else mark
            inside = spot.layer(mark, owner, 1 if repeat.share else repeat.times)
            carried = self.body(repeat, offset, carried, inputs, inside)
            bodies.append(Body(inside.nodes, inside.owner, tuple(self.sheet.steps)))
        self.sheet.steps = [*outer, Block(name, repeat.times, inputs[0], carried, tuple(bodies))]
        return name
