"""Which outputs of a model have the scores of a vocabulary."""

from compiler.ir.program import Program
from compiler.ir.size import Size, as_poly, letter


def scores(program: Program) -> dict[str, Size]:
    """V of every output [B, T, V] with a score for each word of a vocabulary, by its name."""
    words = {letter(name) for name, known in program.key.key.items() if known.role == "vocabulary"}
    shapes = {name: program.main.type(value).shape for name, value in program.main.outputs.items()}
    return {
        name: shape[-1]
        for name, shape in shapes.items()
        if len(shape) == 3 and as_poly(shape[-1]) in words
    }


def logits_of(program: Program) -> str:
    """The first output with scores of a vocabulary; empty where none is."""
    return next(iter(scores(program)), "")
