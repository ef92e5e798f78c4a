"""What rounding alone does to a model: no two ways to compute it need agree further."""

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from compiler.verify.difference import apart
from compiler.verify.examples import LENGTHS, example
from compiler.verify.module import call
from compiler.verify.verdict import Check

if TYPE_CHECKING:
    from torch import nn

    from compiler.verify.compiled import Compiled

LAST_BIT: Final = 2.0**-23
DRAWS: Final = 3
MARGIN: Final = 8
"""By how many such steps two orders of summation may differ, far below what a mistake does."""


def eased(check: Check, made: "Compiled", model: "nn.Module") -> Check:
    """A check whose figure is above its bar, held against what rounding does to this model instead.

    That is far below any bar for a well-conditioned model, and above it where norms divide by next
    to nothing or values grow by orders of magnitude, whatever computes them.
    """
    if check.ok is not False or not check.measured or not check.bar or check.exact:
        return check
    if not isfinite(check.measured):
        return check
    floor = rounding(made, model)
    if check.measured > floor:
        return check
    reason = f"above {check.bar:g}, but so is what rounding a weight does"
    return replace(check, ok=True, bar=floor, reason=reason)


def rounding(made: "Compiled", model: "nn.Module") -> float:
    """How far outputs may move, absolute, where each weight moves by its last bits."""
    import torch

    draw = torch.Generator().manual_seed(0)
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    moved = 0.0
    with torch.no_grad():
        for seed in range(DRAWS):
            given: Any = example(made.spec, made.program, *LENGTHS[-1], seed=seed).values
            still = call(model, given)
            for parameter in model.parameters():
                noise = torch.randn(parameter.shape, generator=draw)
                parameter.mul_(1 + LAST_BIT * noise)
            moved = max(moved, apart(call(model, given), still))
            model.load_state_dict(kept)
    return MARGIN * moved
