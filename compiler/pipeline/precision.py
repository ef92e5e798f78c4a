"""Verify on a target: how far the outputs of one spec are off in its precision."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import archspec
from compiler.importers.fusion import fuse as joined
from compiler.ir.target import Target
from compiler.passes.fuse import fuse
from compiler.pipeline.passes import lowered
from compiler.pipeline.untie import untie
from compiler.pipeline.weights import NO_FILE, weights_for

if TYPE_CHECKING:
    from torch import Tensor

    from compiler.pipeline.weights import Weights
    from compiler.verify import Verdict


def verify_on(
    path: str,
    target: Target,
    *,
    set: Sequence[str] = (),
    weights: str = "init",
    loss: float | None = None,
) -> "Verdict":
    """Outputs on a target against PyTorch in float32, with `weights` as `build` takes them.

    `loss` is how far they may be off, relative to their size. Raises SpecError where the spec or a
    checkpoint cannot be used and CannotAnswer where the target cannot be asked.
    """
    from compiler.verify import verify_precision

    spec = archspec.load(path, set=set)
    kept = untie(spec, lowered(spec), weights)
    state = None
    if weights not in NO_FILE:
        given = weights_for(kept.spec, kept.plain, fuse(kept.plain), weights)
        state = partial(state_for, given)
    verdict = verify_precision(kept.spec, target.on_cpu, state, loss, source=path, set=set)
    return replace(verdict, remark="; ".join(filter(None, (verdict.remark, target.unproved))))


def state_for(weights: "Weights") -> "Mapping[str, Tensor]":
    """Weights as `model.py` takes them, in float32."""
    from compiler.verify.state import state_of

    return state_of(joined(weights.sources or {}, weights.fusions))
