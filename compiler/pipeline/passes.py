"""The order of passes: the only place that knows it."""

from collections.abc import Callable, Mapping
from typing import Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from archspec.source.suggest import did_you_mean
from compiler.answer import CannotAnswer
from compiler.ir.program import Program
from compiler.lower import lower
from compiler.passes.fold import fold
from compiler.passes.fuse import fuse
from compiler.passes.shapes import shapes
from compiler.passes.stateless import stateless

STAGES: Final[Mapping[str, Callable[[Program], Program]]] = {
    "shapes": shapes,
    "fold": fold,
    "fuse": fuse,
    "stateless": stateless,
}
"""Passes by name, in order. What costs and source are made from ends before `stateless`."""


def lowered(spec: Spec) -> Program:
    """The program of a spec with equal graphs folded. Raises SpecError."""
    found = lower(spec)
    if not isinstance(found, Program):
        raise SpecError(found)
    return fold(shapes(found))


def after(spec: Spec, name: str) -> Program:
    """The program after the pass `name`, `lower` the first. Raises SpecError, CannotAnswer."""
    found = lower(spec)
    if not isinstance(found, Program):
        raise SpecError(found)
    if name == "lower":
        return found
    if name not in STAGES:
        known = ("lower", *STAGES)
        hint = did_you_mean(name, known)
        raise CannotAnswer(f"no pass is called `{name}`", hint or f"there are {', '.join(known)}")
    for stage, run in STAGES.items():
        found = run(found)
        if stage == name:
            break
    return found
