"""What two specs differ in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from compiler.answer import CannotAnswer
from compiler.ir.program import Program
from compiler.passes.setting import USUAL, Setting
from compiler.pipeline.costs import report_of
from compiler.pipeline.passes import lowered
from compiler.pipeline.sides import Side, side, spec_of_side
from compiler.report.diff.allowance import allowances, check_counted
from compiler.report.diff.difference import Difference, difference

NOTHING: Final[Mapping[str, int]] = {}


def diff(
    before: str,
    after: str = "",
    *,
    set: Sequence[str] = (),
    at: Mapping[str, int] = NOTHING,
    setting: Setting = USUAL,
    budget: Sequence[str] = (),
    growth: str = "",
) -> Difference:
    """Compare two specs: files, published configs or built folders, `FILE@REVISION` as git has it.

    `set` are patches of the second, `budget` files of limits that it has to keep, and `growth` says
    how much totals may grow (`parameters=5%`). One side alone is compared with itself patched, or,
    at a revision, with the working copy. Raises SpecError, CannotAnswer.
    """
    first, second = pair(before, after, patched=bool(set))
    shown = str(first), str(second)
    old, new = spec_of_side(first), spec_of_side(second, set)
    allowed = allowances(growth)
    found = compare((old, lowered(old)), (new, lowered(new)), at, setting, shown, budget)
    check_counted(allowed, growth, (found.before.costs, found.after.costs))
    return replace(found, allowed=allowed)


def pair(before: str, after: str, *, patched: bool) -> tuple[Side, Side]:
    """Both sides of a comparison. Raises CannotAnswer where there is only one."""
    first = side(before)
    if first.path == "-" and after in ("", "-"):
        raise CannotAnswer("standard input can be one side only", "write it to a file first")
    if after:
        return first, side(after)
    if first.revision:
        return first, Side(first.path)
    if patched:
        return first, first
    raise CannotAnswer(
        f"`{before}` is compared with nothing",
        f"name another spec, a revision (`{before}@HEAD`) or a change (`--set d_model=1024`)",
    )


def compare(
    before: tuple[Spec, Program],
    after: tuple[Spec, Program],
    at: Mapping[str, int] = NOTHING,
    setting: Setting = USUAL,
    shown: tuple[str, str] = ("", ""),
    budget: Sequence[str] = (),
) -> Difference:
    """Compare two lowered specs. Raises SpecError."""
    old = (*before, report_of(*before, setting=setting))
    new = (*after, report_of(*after, setting=setting, budget=budget))
    found = difference(old, new, at, shown)
    if isinstance(found, tuple):
        raise SpecError(found)
    return found
