"""Laws of order: a set in another order is the same set, and positions make an order count."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import constant
from compiler.ops import (
    EosPool,
    IndexPool,
    LastPool,
    LatentAttention,
    ScaledDotProductAttention,
    SeenMask,
)
from compiler.verify.compiled import Compiled
from compiler.verify.difference import apart
from compiler.verify.examples import example
from compiler.verify.module import call
from compiler.verify.verdict import Check, at_least, at_most, skipped

if TYPE_CHECKING:
    from torch import Tensor, nn

BATCH, LENGTH = 2, 11
BAR: Final = 1e-5
MOVED: Final = 1e-3
PERMUTED: Final = "order of a set does not matter"
ORDER: Final = "with positions, order matters"
PICKING: Final = (IndexPool, LastPool, EosPool)


def permutation(made: Compiled, model: "nn.Module") -> Check:
    """A set in another order gives the same vectors in that order, or the same pooled vector."""
    reason = _ordered(made.program)
    if reason:
        return skipped(PERMUTED, reason)
    worst = 0.0
    for name in _movable(made.program):
        given = example(made.spec, made.program, BATCH, LENGTH)
        after, expected = _moved(made, model, name, given.values)
        worst = max(worst, apart(after, expected))
    return at_most(PERMUTED, worst, BAR)


def order(made: Compiled, model: "nn.Module") -> Check:
    """A model with positions does tell one order of its input from another."""
    if not any(what.locates for what in _operators(made.program)):
        return skipped(ORDER, "the model has no positions")
    names = _movable(made.program)
    if not names:
        return skipped(ORDER, "no input is a sequence")
    given = example(made.spec, made.program, BATCH, LENGTH)
    most = max(apart(*_moved(made, model, name, given.values)) for name in names)
    return at_least(ORDER, most, MOVED)


def _moved(
    made: Compiled, model: "nn.Module", name: str, values: "Mapping[str, Tensor]"
) -> "tuple[tuple[Tensor, ...], list[Tensor]]":
    """Outputs after the places of an input are permuted, and those of before, permuted alike."""
    import torch

    count = values[name].shape[1]
    places = torch.randperm(count, generator=torch.Generator().manual_seed(1))
    moved = along(made.program, name, values, lambda v, axis: v.index_select(axis, places))
    with torch.no_grad():
        before, after = call(model, values), call(model, moved)
    main = made.program.main
    axis = main.type(main.inputs[name]).shape[1:2]
    moves = [main.type(value).shape[1:2] == axis for value in main.outputs.values()]
    return after, [v[:, places] if m else v for v, m in zip(before, moves, strict=True)]


def along(
    program: Program,
    name: str,
    values: "Mapping[str, Tensor]",
    change: "Callable[[Tensor, int], Tensor]",
) -> "dict[str, Tensor]":
    """Inputs, changed along every axis that has the places of `name`: its own, a mask's, …"""
    main, own = program.main, place_axis(program, name)
    place = main.type(main.inputs[name]).shape[own]
    made = dict(values)
    for other in values:
        shape = main.type(main.inputs[other]).shape
        axes = [1] if other in of_input(name) else [i for i, s in enumerate(shape) if s == place]
        axes = [own] if other == name else axes
        for axis in axes:
            made[other] = change(made[other], axis)
    return made


def place_axis(program: Program, name: str) -> int:
    """The axis of an input that has its places: the second, but the third of padded frames."""
    main = program.main
    shape, mask = main.type(main.inputs[name]).shape, main.inputs.get(f"{name}_mask")
    return 2 if mask and len(shape) > 2 and main.type(mask).shape[1] == shape[2] else 1


def of_input(name: str) -> frozenset[str]:
    """The names of an input, its mask, its segments and its types."""
    return frozenset((name, *(f"{name}_{kind}" for kind in ("mask", "segments", "types"))))


def _movable(program: Program) -> list[str]:
    """The inputs whose places can be permuted: sets and sequences whose length is free."""
    main = program.main
    found = {n: main.type(v) for n, v in main.inputs.items() if not main.type(v).optional}
    beside = {f"{n}_{kind}" for n in found for kind in ("mask", "segments", "types")}
    return [
        name
        for name, kind in found.items()
        if name not in beside
        and len(kind.shape) in (2, 3)
        and kind.element != "bool"
        and constant(program.key.fix(kind.shape[1])) is None
    ]


def _ordered(program: Program) -> str:
    """Why the order of the inputs matters, or nothing."""
    found = _operators(program)
    if any(what.ordered for what in found):
        return "the model knows places"
    if any(
        isinstance(what, SeenMask) and (what.causal or what.window or what.chunk) for what in found
    ):
        return "attention knows distances"
    if any(isinstance(w, LatentAttention | ScaledDotProductAttention) and w.causal for w in found):
        return "attention is causal"
    if any(isinstance(what, PICKING) or getattr(what, "skip", 0) for what in found):
        return "a pool tells places apart"
    return "" if _movable(program) else "no input is a set"


def _operators(program: Program) -> list[Operator]:
    return [node.what for _, node, _ in program.flat() if isinstance(node.what, Operator)]
