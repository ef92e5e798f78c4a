"""A published model and ours in bfloat16: how far each is from itself in float32."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

import torch

from compiler.verify.module import call
from tests.families.case import Case, Given

if TYPE_CHECKING:
    from torch import Tensor, nn

BAR = 1.5
DRAWS = 16
SPECIAL = 5
"""Ids below this may be of padding, of an end or of a segment."""


def many(given: Given) -> Given:
    """The inputs of a case with as many batches more as `DRAWS`, in one: what is special, padded
    or of a segment stays, other ids and all real numbers are drawn anew."""
    draw = torch.Generator().manual_seed(0)

    def again(value: "Tensor") -> "Tensor":
        if value.is_floating_point():
            return torch.randn(value.shape, generator=draw)
        if value.dtype is torch.bool or int(value.max()) <= SPECIAL:
            return value
        fresh = torch.randint(SPECIAL, int(value.max()) + 1, value.shape, generator=draw)
        return fresh.where(value >= SPECIAL, value)

    values = {
        name: torch.cat([value, *(again(value) for _ in range(DRAWS))])
        for name, value in given.values.items()
    }
    real = given.real
    return Given(values, real if real is None else real.repeat(1 + DRAWS, 1))


def lower(model: "nn.Module") -> "nn.Module":
    """The model in bfloat16, the rates of its angles in float32 as transformers loads them."""
    low = deepcopy(model).bfloat16()
    kept = dict(model.named_buffers())
    for name, buffer in low.named_buffers():
        if name.endswith("inv_freq"):
            buffer.data = kept[name].clone()
    return low


def lowered(values: "Mapping[str, Tensor]") -> "dict[str, Tensor]":
    """Inputs whose real numbers are in bfloat16."""
    return {k: v.bfloat16() if v.is_floating_point() else v for k, v in values.items()}


def no_coarser(case: Case, theirs: "nn.Module", mine: "nn.Module") -> None:
    """In bfloat16 ours is no further from its float32 than 1.5 times what the published model is.

    Far is the root mean square over all real places of 17 batches. Both round every weight alike,
    and almost nothing else: each error is a sum of thousands of roundings that the other draws
    anew. So the largest error of a small model is one throw of dice (over these models the ratio of
    the two is anywhere from 0.2 to 1.7), while the mean square adds them up as a long text would.
    """
    given = many(case.given())
    with torch.no_grad():
        exact = call(mine, given.values)
        wanted = case.wanted(theirs, given.values)
        found = call(lower(mine), lowered(given.values))
        published = case.wanted(lower(theirs), lowered(given.values))
    ours, bars = far(found, exact, given.real), far(published, wanted, given.real)
    assert all(each <= BAR * bar for each, bar in zip(ours, bars, strict=True)), (ours, bars)


def far(
    found: "Sequence[Tensor]", exact: "Sequence[Tensor]", real: "Tensor | None"
) -> "list[float]":
    """The root mean square error of each output, at real places where there are such."""
    off = [f.float() - e for f, e in zip(found, exact, strict=True)]
    held = [e if real is None or e.shape[:2] != real.shape else e[real] for e in off]
    return [float(each.square().mean().sqrt()) for each in held]
