"""The memory of a program, counted on the module that is generated from it."""

from functools import partial
from typing import TYPE_CHECKING

from compiler.ir.program import Program
from compiler.passes.memory import Memory

if TYPE_CHECKING:
    from compiler.shadow import Source


def memory_of(program: Program) -> Memory:
    """The memory of a lowered program; its module is written when somebody asks."""
    return Memory(partial(_written, program), program.key)


def _written(program: Program) -> "Source":
    from compiler.backends.torch import Marks, torch_code
    from compiler.passes.fuse import fuse
    from compiler.shadow import Source

    marks = Marks(program.root)
    code = torch_code(fuse(program), marks.around)
    classes = any("logits" in name for name in [*program.main.outputs][:1])
    return Source(code.text, code.name, code.inputs, classes, tuple(marks.nodes))
