"""Reports of the project's specs and of small ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from archspec.load import load
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic
from compiler.lower import lower
from compiler.report.costs import CostReport, cost_report
from tests.passes.samples import LLAMA, lowered, named


def report(name: str, **at: int) -> CostReport:
    """The report of one of the project's specs at lengths."""
    return of(named(name), **at)


def of(spec: Spec, **at: int) -> CostReport:
    found = cost_report(lowered(spec), spec, at)
    assert isinstance(found, CostReport), found
    return found


def with_budget(budget: Mapping[str, Any], patches: Sequence[str] = ()) -> CostReport:
    """The small decoder with limits: width 24, 3 layers, 4 heads of 6 in 2 groups, T = 64."""
    return of(load({**LLAMA, "budget": dict(budget)}, set=patches))


def refused(budget: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """What is wrong with the small decoder's limits."""
    spec = load({**LLAMA, "budget": dict(budget)})
    program = lower(spec)
    assert not isinstance(program, tuple)
    found = cost_report(program, spec)
    assert not isinstance(found, CostReport)
    return found
