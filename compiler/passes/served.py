"""The form that a model file has: a decoder takes its cache and gives it back."""

from compiler.ir.program import Program
from compiler.ir.target import Logits
from compiler.passes.last_position import last_position
from compiler.passes.stages import stages
from compiler.passes.stateless import stateless


def served(program: Program, logits: Logits = "last") -> Program:
    """`program` as it is deployed.

    A decoder with a cache keeps it, and gives the logits of its last position or of all. Any other
    model, and one that decodes over an encoded source, computes all positions at once.
    """
    if not program.grown or stages(program.main, program.grown) is not None:
        return stateless(program)
    return program if logits == "all" else last_position(program)
