"""Words become a setting: those of the command line, and those in the keys of limits."""

from typing import Any, Final, cast

from compiler.answer import CannotAnswer
from compiler.ir.said import everywhere, known
from compiler.ir.target import BITS, Provider, Target
from compiler.passes.setting import BYTES, USUAL, Precision, Setting

RUNS_INTEGERS: Final[tuple[Provider, ...]] = ("cuda", "cpu")
"""Targets of a build that have products with integers, the usual one first."""


def chosen(
    precision: str = USUAL.precision, target: str = "", option: str = "--", **others: Any
) -> Setting:
    """A setting with floats, or with integers such as `int4:32` as a build for `target` has them.

    `option` is what stands before the names of options in a message, `others` are more fields.
    Raises CannotAnswer for words that are none.
    """
    name = f"{option}precision"
    if precision not in BYTES:
        known(name, precision.partition(":")[0], (*BYTES, *BITS))
    if precision in BYTES:
        if target:
            message = f"`{option}target` is about integers"
            raise CannotAnswer(message, f"give `{name}` int8 or int4 too, or leave it out")
        return Setting(precision, **others)
    usual, *_ = RUNS_INTEGERS
    known(f"{option}target", target or usual, RUNS_INTEGERS)
    kind, every = everywhere(name, precision)
    made_for = Target(cast(Provider, target or usual), kind, choices=every)
    return Setting(cast(Precision, made_for.floats), rounded=made_for, **others)
