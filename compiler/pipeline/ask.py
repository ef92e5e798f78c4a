"""Questions about one spec that write nothing: check, show, cost, verify, graph."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import archspec
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, SpecError
from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.ir.program import Program
from compiler.ir.text import program_text
from compiler.lower import lower
from compiler.passes.setting import USUAL, Precision, Setting
from compiler.pipeline.costs import report_of
from compiler.pipeline.passes import after, lowered
from compiler.pipeline.places import spec_name
from compiler.report.budget import Verdict, broken
from compiler.report.costs import CostReport

if TYPE_CHECKING:
    from compiler.report.side_by_side import SideBySide
    from compiler.verify import Verdict as Proof

NOTHING: Mapping[str, int] = {}


class Checked(Frozen):
    """One spec and all that is wrong with it; `verdicts` are one a limit that could be judged."""

    path: str
    diagnostics: tuple[Diagnostic, ...]
    verdicts: tuple[Verdict, ...] = ()


def check(
    paths: Sequence[str], set: Sequence[str] = (), budget: Sequence[str] = ()
) -> list[Checked]:
    """Everything that is wrong with each spec: its text, its shapes, its budget.

    `budget` are files of limits that every spec has to keep beside its own.
    """
    return [_checked(path, set, budget) for path in paths]


def show(path: str, stage: str, *, set: Sequence[str] = ()) -> str:
    """The resolved spec (`resolved`), or the program after a pass (`after:fuse`).

    Raises SpecError, CannotAnswer.
    """
    spec = archspec.load(path, set=set)
    if stage == "resolved":
        from archspec.resolve import explain_resolved

        return explain_resolved(spec)
    if not stage.startswith("after:"):
        raise CannotAnswer(f"`{stage}` is no stage", "write `after:PASS`, such as `after:fuse`")
    return program_text(after(spec, stage.removeprefix("after:")))


def cost(
    path: str,
    *,
    set: Sequence[str] = (),
    at: Mapping[str, int] = NOTHING,
    setting: Setting = USUAL,
    budget: Sequence[str] = (),
) -> CostReport:
    """The cost report of a spec, or of a published config, at some lengths. Raises SpecError."""
    spec = _spec(path, set)
    return report_of(spec, lowered(spec), at, setting, budget)


def primitives(
    paths: Sequence[str],
    *,
    set: Sequence[str] = (),
    at: Mapping[str, int] = NOTHING,
    precision: Precision = "bf16",
) -> "SideBySide":
    """What mixes positions in some specs, side by side at lengths N, or at the one of `at`.

    Raises SpecError, CannotAnswer.
    """
    from compiler.report.primitives import SERIES
    from compiler.report.primitives import primitives as mixed
    from compiler.report.side_by_side import SideBySide

    if beyond := [letter for letter in at if letter not in ("B", "N")]:
        raise CannotAnswer(
            f"`{beyond[0]}` is no size that all specs have", "give `B`, `N` or both: `--at N=4096`"
        )
    lengths = (at["N"],) if "N" in at else SERIES
    found = []
    for path in paths:
        spec = archspec.load(path, set=set)
        shown = spec_name(spec.path) if spec.path else ""
        found.append(mixed(lowered(spec), spec, shown))
    if not any(each.mixers for each in found):
        raise CannotAnswer("nothing in these specs mixes positions of a sequence")
    return SideBySide(tuple(found), lengths, at.get("B", 1), precision)


def verify(path: str, *, set: Sequence[str] = ()) -> "Proof":
    """The verdict on torch against ONNX Runtime, counts, names and laws. Raises SpecError."""
    from compiler.verify import verify as prove

    return prove(archspec.load(path, set=set), set=set)


def graph(path: str, format: str = "svg", expand: bool = False, *, set: Sequence[str] = ()) -> str:
    """The graph of a spec as `svg`, `mermaid` or `dot`. Raises SpecError."""
    from compiler.backends.view import draw

    return draw(lowered(archspec.load(path, set=set)), format, expand=expand)


def _spec(path: str, set: Sequence[str]) -> Spec:
    """A spec, or that of a config.json; importers are loaded for those alone. Raises SpecError."""
    if not path.endswith(".json"):
        return archspec.load(path, set=set)
    from compiler.pipeline.imports import load

    return load(path, set)


def _checked(path: str, set: Sequence[str], budget: Sequence[str]) -> Checked:
    try:
        spec = _spec(path, set)
        program = lower(spec)
        if not isinstance(program, Program):
            return Checked(path, program)
        report = report_of(spec, program, budget=budget)
    except SpecError as error:
        return Checked(path, error.diagnostics)
    return Checked(path, tuple(broken(report.verdicts)), report.verdicts)
