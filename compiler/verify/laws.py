"""Laws of every model of a kind, whatever its weights: causality and padding."""

from functools import partial
from typing import TYPE_CHECKING, Final

from compiler.ir.program import Program
from compiler.ops import GroupedLinear
from compiler.verify.compiled import Compiled
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import call
from compiler.verify.permutation import along
from compiler.verify.verdict import Check, at_most, skipped

if TYPE_CHECKING:
    from torch import Tensor, nn

BATCH, LENGTH = 2, 11
BAR, MIXED = 1e-5, 1e-6
CAUSAL: Final = "no look ahead"
PADDING: Final = "padding does not matter"


def causality(made: Compiled, model: "nn.Module") -> Check:
    """A later token changes nothing before it: not a bit.

    In a mixture of experts it changes how many rows an expert has, and so how products of others
    are rounded.
    """
    import torch

    grown = made.program.grown or made.program.stepped
    if not grown:
        return skipped(CAUSAL, "no causal path from tokens to outputs")
    given = example(made.spec, made.program, BATCH, LENGTH, padded=False)
    ids = given.values[grown]
    worst = 0.0
    with torch.no_grad():
        before = call(model, given.values)
        for cut in {1, ids.shape[1] // 2, ids.shape[1] - 1}:
            changed = ids.clone()
            changed[:, cut:] = (changed[:, cut:] + 1) % (int(ids.max()) + 1)
            after = call(model, {**given.values, grown: changed})
            worst = max(worst, apart(_start(before, cut), _start(after, cut)))
    if any(isinstance(node.what, GroupedLinear) for _, node, _ in made.program.flat()):
        largest = max(1.0, *(float(found.abs().max()) for found in before))
        return at_most(CAUSAL, worst / largest, MIXED, unit="of the largest output")
    return at_most(CAUSAL, worst, 0.0)


def padding(made: Compiled, model: "nn.Module") -> Check:
    """What stands at padded places changes no real one, and neither does how many there are."""
    import torch

    inputs = [n for n, found in made.spec.inputs.items() if found.padded]
    if not inputs:
        return skipped(PADDING, "the spec has no padding")
    worst = 0.0
    for name in inputs:
        given = example(made.spec, made.program, BATCH, LENGTH, padded=False)
        mask = given.values[f"{name}_mask"].clone()
        real = max(1, mask.shape[1] - 4)
        mask[:, real:] = False
        padded = {**given.values, f"{name}_mask": mask}
        content = given.values[name].clone()
        content[:, real:] = content[:, :real].flip(1)[:, : content.shape[1] - real]
        shorter = along(made.program, name, given.values, partial(_first, real))
        with torch.no_grad():
            wanted = call(model, padded)
            others = [call(model, {**padded, name: content}), call(model, shorter)]
        for other in others:
            pair = _common(other, wanted, real, _keeps(made.program, name))
            worst = max(worst, apart(*pair))
    return at_most(PADDING, worst, BAR)


def _first(count: int, value: "Tensor", axis: int) -> "Tensor":
    return value.narrow(axis, 0, count)


def _start(outputs: "tuple[Tensor, ...]", end: int) -> "list[Tensor]":
    return [found[:, :end] for found in outputs]


def _common(
    left: "tuple[Tensor, ...]", right: "tuple[Tensor, ...]", real: int, kept: bool
) -> "tuple[list[Tensor], list[Tensor]]":
    """Outputs at real places: cut where they still have the padded axis."""
    pairs = [
        (a[:, :real], b[:, :real]) if kept and a.dim() > 2 else (a, b)
        for a, b in zip(left, right, strict=True)
    ]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _keeps(program: Program, name: str) -> bool:
    """Whether the outputs have the places of an input."""
    axis = program.main.type(program.main.inputs[name]).shape[1]
    return any(axis in program.main.type(value).shape for value in program.main.outputs.values())
