"""The listing that people read: a repeat is written once, however many layers it stands for."""

from typing import Any

from compiler.backends.onnx.listing import Block, Listing
from compiler.backends.onnx.walk import Walk
from compiler.ir.graph import Repeat
from compiler.ir.program import Program, layer_mark


def folded(program: Program) -> Listing:
    """The model as ONNX steps with its repeats folded; `program` is in the full-sequence form."""
    return FoldedWalk(program).listing()


class FoldedWalk(Walk):
    """Writes the bodies of a repeat once, with `0..12` in the place of the layer."""

    def repeat(
        self, repeat: Repeat, inputs: list[Any], path: str, owner: str, copies: int
    ) -> list[Any]:
        """Write one round down as a block."""
        name = self.sheet.unique(f"/{path.replace('.', '/')}")
        start, carried, outer = inputs[0], f"{name}:x", self.sheet.steps
        self.sheet.steps = []
        value = carried
        for offset, body in enumerate(repeat.bodies):
            mark = layer_mark(repeat, offset)
            owned = f"{owner}.{repeat.start + offset}" if repeat.share else f"{owner}.{mark}"
            held = copies if repeat.share else copies * repeat.times
            given = [value if at == 0 else inputs[at] for at in repeat.wires[offset]]
            (value,) = self.graph(self.program.graphs[body], given, f"{path}.{mark}", owned, held)
        block = Block(name, repeat.times, carried, start, value, tuple(self.sheet.steps))
        self.sheet.steps = [*outer, block]
        return [carried]
