"""The cost report of a spec."""

from collections.abc import Mapping, Sequence
from typing import Final

from archspec.budget_file import limits_of
from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from compiler.ir.program import Program
from compiler.passes.setting import USUAL, Setting
from compiler.pipeline.places import spec_name
from compiler.report.costs import CostReport, cost_report

NOTHING: Final[Mapping[str, int]] = {}


def report_of(
    spec: Spec,
    program: Program,
    at: Mapping[str, int] = NOTHING,
    setting: Setting = USUAL,
    budget: Sequence[str] = (),
) -> CostReport:
    """The cost report of a lowered program; `budget` are files of limits. Raises SpecError."""
    path = spec_name(spec.path) if spec.path else ""
    report = cost_report(
        program,
        spec,
        at,
        path=path,
        settings=spec.settings,
        setting=setting,
        budget={file: tuple(limits_of(file, spec.dims).items()) for file in budget},
    )
    if isinstance(report, tuple):
        raise SpecError(report)
    return report
