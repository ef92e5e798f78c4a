"""Laws of every model of a kind, whatever its weights: causality and padding."""

from functools import partial
from typing import TYPE_CHECKING, Final

from compiler.ir.program import Program
from compiler.ir.size import as_poly, value
from compiler.ops import GroupedLinear
from compiler.verify.compiled import Compiled
from compiler.verify.decoding import crossed
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import call
from compiler.verify.permutation import along, place_axis
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
        if limit := crossed(made.program, mask.shape[1]):
            return skipped(PADDING, f"angles change where a sequence crosses {limit} positions")
        real = max(1, mask.shape[1] - 4)
        mask[:, real:] = False
        padded = {**given.values, f"{name}_mask": mask}
        content = given.values[name].clone()
        axis = place_axis(made.program, name)
        hidden = content.shape[axis] - real
        other = content.narrow(axis, 0, real).flip(axis).narrow(axis, 0, hidden)
        content.narrow(axis, real, hidden).copy_(other)
        shorter = along(made.program, name, given.values, partial(_first, real))
        with torch.no_grad():
            wanted = call(model, padded)
            others = [call(model, {**padded, name: content}), call(model, shorter)]
        ends = _ends(made.program, name, real)
        for found in others:
            worst = max(worst, apart(_cut(found, ends), _cut(wanted, ends)))
    return at_most(PADDING, worst, BAR)


def _first(count: int, value: "Tensor", axis: int) -> "Tensor":
    return value.narrow(axis, 0, count)


def _start(outputs: "tuple[Tensor, ...]", end: int) -> "list[Tensor]":
    return [found[:, :end] for found in outputs]


def _cut(outputs: "tuple[Tensor, ...]", ends: "list[int | None]") -> "list[Tensor]":
    """Outputs at real places: the others are cut off where an output has places."""
    pairs = zip(outputs, ends, strict=True)
    return [found if end is None else found[:, :end] for found, end in pairs]


def _ends(program: Program, name: str, real: int) -> "list[int | None]":
    """How many places of each output are real where `real` places of an input are; None for an
    output that has not the input's places."""
    main, key = program.main, program.key
    place = key.fix(main.type(main.inputs[name]).shape[place_axis(program, name)])
    found: list[int | None] = []
    for output in main.outputs.values():
        shape = main.type(output).shape
        length = key.fix(shape[1]) if len(shape) > 2 else as_poly(0)
        length = length.at(key.formulas)
        follows = place.letters and length.letters == place.letters
        found.append(value(length, dict.fromkeys(place.letters, real)) if follows else None)
    return found
