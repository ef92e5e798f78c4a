"""The lengths that two models are compared at: the same for both."""

from collections.abc import Mapping

from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic
from compiler.ir.program import Program
from compiler.passes.cost import Costs
from compiler.passes.cost_lengths import lengths
from compiler.report.costs import CostReport

Counted = tuple[Spec, Program, CostReport]


def common(before: CostReport, after: CostReport, asked: Mapping[str, int]) -> dict[str, int]:
    """Lengths that both models have and nobody asks for: the smaller of what each has by itself."""
    found: dict[str, int] = {}
    pair = {before.costs.target, before.costs.seen, after.costs.target, after.costs.seen}
    settled = pair if pair & set(asked) else set(asked)
    for name, size in before.at.items():
        same = before.costs.key.key[name].role == _role(after.costs, name)
        if same and name not in settled:
            found[name] = min(size, after.at[name])
    return found


def at_lengths(
    counted: Counted, other: CostReport, shared: Mapping[str, int], asked: Mapping[str, int]
) -> dict[str, int] | tuple[Diagnostic, ...]:
    """A size for each free letter of a model; a letter that only the other has is left to it."""
    spec, program, report = counted
    own, others = ({known.name for known in one.costs.free} for one in (report, other))
    wanted = {name: size for name, size in asked.items() if name in own or name not in others}
    found = lengths(program, report.costs, spec.inputs, wanted)
    if not isinstance(found, dict):
        return found
    return lengths(program, report.costs, spec.inputs, {**shared, **wanted})


def _role(costs: Costs, name: str) -> str:
    return next((known.role for known in costs.free if known.name == name), "")
