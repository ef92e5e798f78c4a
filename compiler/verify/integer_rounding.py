"""What rounding matrices to integers does to a model by itself, however it is done."""

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx.sheet import member_path
from compiler.ir.integers import WIDE
from compiler.ir.target import BITS, Target
from compiler.verify.deviation import deviation_of
from compiler.verify.examples import LENGTHS, example
from compiler.verify.module import call
from compiler.verify.verdict import Check

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from compiler.verify.compiled import Compiled

DRAWS: Final = 3
MARGIN: Final[Mapping[int, float]] = {8: 1.8, 4: 1.25}
"""By how much two ways to round may differ, by bits: inputs of products are rounded to 8 too."""

NOTHING: Final = 0.9
"""The deviation of outputs that say next to nothing: zeros in their place are off by 1."""


def fewest_bits(target: Target) -> int | None:
    """Bits of the smallest integers that a target holds matrices in; None where it has none."""
    kinds = [each.integers.bits for each in target.choices if each.integers]
    return min(
        [*kinds, *(BITS[kind] for kind in (target.precision,) if kind in BITS)], default=None
    )


def eased_loss(check: Check, made: "Compiled", model: "nn.Module", target: Target) -> Check:
    """A check of drawn weights that is above its bar, held against what torch alone loses by
    rounding them.

    Some drawn models are far more sensitive than trained ones, such as two towers whose vectors
    have nothing to do with each other, and that is no mistake of what was built.
    """
    bits = fewest_bits(target)
    if check.ok is not False or not check.measured or not check.bar or bits is None:
        return check
    if not isfinite(check.measured):
        return check
    floor = min(MARGIN[bits] * loss_by_rounding(made, model, target), NOTHING)
    if check.measured > floor:
        return check
    reason = f"{check.reason}, above {check.bar:g}, but so is what torch loses by rounding these"
    return replace(check, ok=True, bar=floor, reason=reason)


def loss_by_rounding(made: "Compiled", model: "nn.Module", target: Target) -> float:
    """The largest relative deviation of outputs in torch where the matrices of `model` that a
    target holds as integers move by errors of rounding, evenly spread over the steps of these in
    blocks of their inputs."""
    import torch

    draw = torch.Generator().manual_seed(0)
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    given = [
        example(made.spec, made.program, *length, seed=seed).values
        for seed, length in enumerate(LENGTHS)
    ]
    rounded = [
        (parameter, held.bits)
        for name, parameter in model.named_parameters()
        if parameter.dim() > 1 and (held := target.integers(_path(name, parameter)))
    ]
    lost = 0.0
    with torch.no_grad():
        still = [output for values in given for output in call(model, values)]
        for _ in range(DRAWS):
            for parameter, bits in rounded:
                parameter.add_(_error(parameter, bits, draw))
            moved = [output for values in given for output in call(model, values)]
            model.load_state_dict(kept)
            pairs = [(a, b) for a, b in zip(moved, still, strict=True) if b.is_floating_point()]
            lost = max(lost, deviation_of(pairs).relative)
    return lost


def _path(name: str, parameter: "Tensor") -> str:
    """What a choice calls a matrix, or the first one of experts [E, O, I]."""
    whole = member_path(name, 0) if parameter.dim() == 3 else name
    return whole.removesuffix(".weight")


def _error(matrix: "Tensor", bits: int, draw: "torch.Generator") -> "Tensor":
    """Errors of rounding a matrix [..., I]: up to half a step, of which a block's largest number
    takes half of all codes."""
    import torch

    blocks = torch.split(matrix, WIDE, dim=-1)
    steps = [b.abs().amax(dim=-1, keepdim=True).expand_as(b) / 2 ** (bits - 1) for b in blocks]
    return torch.cat(steps, dim=-1) * (torch.rand(matrix.shape, generator=draw) - 0.5)
