"""The design-review page of some specs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, SpecError
from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.backends.view import outlined
from compiler.backends.view.outline import Load
from compiler.ir.program import Program
from compiler.passes.cost_lengths import letters_said
from compiler.passes.setting import USUAL, Setting
from compiler.pipeline.compare import compare
from compiler.pipeline.costs import report_of
from compiler.pipeline.passes import lowered
from compiler.pipeline.places import spec_name
from compiler.pipeline.reach import within
from compiler.pipeline.sides import Side, side, spec_of_side
from compiler.report.budget import broken
from compiler.report.page.command import command
from compiler.report.page.loads import Loads
from compiler.report.page.render import page
from compiler.report.page.sheet import ALONE, Sheet
from compiler.report.page.view import View
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.fits import misfits
from compiler.report.primitives import SERIES
from compiler.report.primitives import primitives as mixed
from compiler.report.side_by_side import SideBySide

NOTHING: Final[Mapping[str, int]] = {}
USUAL_DEVICE: Final = "h100"
"""What a page begins with; its reader chooses another one."""


class _Asked(Frozen):
    """What every spec is counted at."""

    at: Mapping[str, int]
    setting: Setting
    device: str
    assume: str
    degrees: Degrees
    budget: Sequence[str]


class Review(Frozen):
    """A page, and what of the budgets of its specs does not hold."""

    html: str
    over: tuple[Diagnostic, ...] = ()
    """The limits that are broken."""
    notes: tuple[str, ...] = ()
    """What is counted otherwise than asked."""

    @property
    def ok(self) -> bool:
        """Whether every spec keeps its budget."""
        return not self.over


def report(
    paths: Sequence[str],
    *,
    base: str = "",
    set: Sequence[str] = (),
    at: Mapping[str, int] = NOTHING,
    setting: Setting = USUAL,
    device: str = "",
    assume: str = "",
    degrees: Degrees = ALONE,
    budget: Sequence[str] = (),
) -> Review:
    """One page of all specs, each against its base: a revision of its own file, or one spec for
    all. `budget` are files of limits that every spec has to keep beside its own.

    Raises SpecError, CannotAnswer.
    """
    specs = [spec_of_side(Side(path), set) for path in paths]
    programs = [lowered(spec) for spec in specs]
    asked = _Asked(at, setting, device, assume, degrees, budget)
    views = [
        _view(index, path, spec, program, base, asked)
        for index, (path, spec, program) in enumerate(zip(paths, specs, programs, strict=True))
    ]
    every = [mixed(p, spec, _shown(spec)) for spec, p in zip(specs, programs, strict=True)]
    mixers = SideBySide(tuple(every), SERIES, 1, setting.precision)
    some = any(each.mixers for each in every)
    html = page(views, mixers if some else None, command(views, base))
    over = tuple(each for view in views for each in broken(view.report.verdicts))
    return Review(html, over, tuple(view.short for view in views if view.short))


def _view(index: int, path: str, spec: Spec, program: Program, base: str, asked: "_Asked") -> View:
    counted = report_of(spec, program, asked.at, asked.setting, asked.budget)
    difference, short = None, ""
    if base:
        before = _base(path, base)
        old = spec_of_side(before)
        earlier, shown = lowered(old), (str(before), _shown(spec) or path)
        reached = within(counted.at, asked.at, earlier, report_of(old, earlier))
        if reached:
            at = {**counted.at, **reached}
            counted = report_of(spec, program, at, asked.setting, asked.budget)
            counted = replace(counted, asked=dict(asked.at), context={})
            said = letters_said(counted.costs, at)
            short = f"`{counted.name}` is counted at {said}, as `{before}` has no later position"
        difference = compare((old, earlier), (spec, program), counted.at, asked.setting, shown)
    if wrong := misfits(counted.costs, counted.at, asked.degrees):
        raise SpecError(wrong)
    there = counted.on(asked.device or USUAL_DEVICE, asked.assume)
    sheet = Sheet(counted, there, difference, asked.degrees, bool(asked.device))
    loads = Loads(sheet)

    def load(box: str, without: Sequence[str]) -> Load | None:
        found = loads.load(box, without)
        return Load(*found) if found else None

    return View(sheet, loads, outlined(program, load), index, short)


def _base(path: str, base: str) -> Side:
    """What a spec is compared with: a file or folder that is there, else a revision of its own."""
    if "@" in base or Path(base).exists():
        return side(base)
    if path == "-":
        raise CannotAnswer("standard input has no revision", "name a file: `--base FILE`")
    return Side(path, base)


def _shown(spec: Spec) -> str:
    return spec_name(spec.path) if spec.path else ""
