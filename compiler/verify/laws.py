"""Laws of every model of a kind, whatever its weights: causality, padding, permutation."""

from typing import TYPE_CHECKING, Final

from compiler.ir.program import Program
from compiler.ops import (
    CausalMask,
    Conv2d,
    EosPool,
    IndexPool,
    LastPool,
    LearnedPositions,
    RopeAngles,
    ScaledDotProductAttention,
    Sinusoid,
)
from compiler.verify.compiled import Compiled
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import call
from compiler.verify.verdict import Check, at_most, skipped

if TYPE_CHECKING:
    from torch import Tensor, nn

BATCH, LENGTH = 2, 11
CAUSAL: Final = "no look ahead"
PADDING: Final = "padding does not matter"
PERMUTED: Final = "order of a set does not matter"
ORDERED: Final = (LearnedPositions, Sinusoid, RopeAngles, CausalMask, Conv2d)
"""Operators that tell one place from another."""

PICKING: Final = (IndexPool, LastPool, EosPool)


def causality(made: Compiled, model: "nn.Module") -> Check:
    """A later token changes nothing before it: not a bit."""
    import torch

    grown = made.program.grown
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
        own = of_input(name)
        mask[:, real:] = False
        padded = {**given.values, f"{name}_mask": mask}
        content = given.values[name].clone()
        content[:, real:] = content[:, :real].flip(1)[:, : content.shape[1] - real]
        shorter = {n: v[:, :real] if n in own else v for n, v in given.values.items()}
        with torch.no_grad():
            wanted = call(model, padded)
            others = [call(model, {**padded, name: content}), call(model, shorter)]
        for other in others:
            worst = max(worst, apart(*_common(wanted, other, real, _keeps(made.program, name))))
    return at_most(PADDING, worst, 1e-5)


def permutation(made: Compiled, model: "nn.Module") -> Check:
    """A set in another order gives the same vectors in that order, or the same pooled vector."""
    import torch

    reason = _ordered(made.program)
    if reason:
        return skipped(PERMUTED, reason)
    name = next(iter(made.spec.inputs))
    given = example(made.spec, made.program, BATCH, LENGTH)
    count = given.values[name].shape[1]
    order = torch.randperm(count, generator=torch.Generator().manual_seed(1))
    own = of_input(name)
    moved = {n: v[:, order] if n in own else v for n, v in given.values.items()}
    with torch.no_grad():
        before, after = call(model, given.values), call(model, moved)
    expected = [v[:, order] if v.dim() > 2 else v for v in before]
    return at_most(PERMUTED, apart(expected, after), 1e-6)


def of_input(name: str) -> frozenset[str]:
    """The names of an input, its mask and its types."""
    return frozenset((name, f"{name}_mask", f"{name}_types"))


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


def _ordered(program: Program) -> str:
    """Why the order of the first input matters, or nothing."""
    found = [node.what for _, node, _ in program.flat()]
    if any(isinstance(what, ORDERED) for what in found):
        return "the model knows places"
    if any(isinstance(w, ScaledDotProductAttention) and w.causal for w in found):
        return "attention is causal"
    if any(isinstance(what, PICKING) for what in found):
        return "a pool picks one place"
    first = next(iter(program.main.inputs.values()))
    return "" if len(program.main.type(first).shape) > 1 else "no input is a set"
