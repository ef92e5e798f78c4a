"""The totals of two cost reports, side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly
from compiler.passes.metrics import METRICS, exact
from compiler.report.costs import CostReport
from compiler.report.diff.change import Cause
from compiler.report.order import length_power

HEADLINE: Final = (
    "parameters",
    "parameters_active",
    "matmul_flops",
    "weights_bytes",
    "forward_peak_bytes",
    "saved_bytes",
    "kv_bytes_per_token",
)
"""What a reviewer asks first, changed or not."""
FIGURE: Final[Mapping[str, str]] = {
    "kv_bytes": "kv_elements",
    "kv_bytes_per_token": "kv_elements",
    "kv_held_bytes": "kv_elements",
    "sequential_steps": "sequential_steps",
    "backward_flops": "backward_flops",
    "read_bytes": "read_bytes",
    "decode_read_bytes": "read_bytes",
    "written_bytes": "written_bytes",
    "source_kv_bytes": "written_bytes",
    "forward_peak_bytes": "written_bytes",
    "saved_bytes": "written_bytes",
    "training_forward_peak_bytes": "written_bytes",
    "decode_peak_bytes": "written_bytes",
    "training_tensors_bytes": "written_bytes",
    "training_peak_bytes": "parameters",
    "inference_peak_bytes": "parameters",
    "decode_written_bytes": "written_bytes",
    "decode_weights_bytes": "parameters_active",
    "elementwise_flops": "elementwise_flops",
    "parameters_active": "parameters_active",
}
"""The figure of components that decides about a total, where its unit or name says another one."""


class Part(Protocol):
    """A component whose costs differ."""

    @property
    def blame(self) -> Mapping[str, tuple[Cause, ...]]:
        """Why, for every figure that differs."""
        ...

    def numbers(self, name: str) -> tuple[int, int]:
        """A figure before and after."""
        ...


class Total(Frozen):
    """One total before and after, its formulas, and what makes it differ, the largest part first.

    `grows` are the powers of the lengths in it when they are long: 2 for an attention matrix.
    """

    name: str
    before: int
    after: int
    formulas: tuple[Poly, Poly]
    grows: tuple[int, int]
    causes: tuple[Cause, ...]

    @property
    def unit(self) -> str:
        """The unit of both."""
        return METRICS[self.name].unit

    @property
    def differs(self) -> bool:
        """Whether it has another value, or grows otherwise."""
        return self.before != self.after or self.grows[0] != self.grows[1]


def totals(before: CostReport, after: CostReport, parts: Sequence[Part]) -> tuple[Total, ...]:
    """Every total that can be counted of both and tells something of one, in the order of
    reports."""
    reports = before, after
    shared = [
        name
        for name, metric in METRICS.items()
        if all(metric.present(report.costs) for report in reports)
        and any(metric.tells(report.costs) for report in reports)
    ]
    return tuple(one_total(name, before, after, parts) for name in shared)


def headline(found: Sequence[Total]) -> list[Total]:
    """The totals that are shown first: those of `HEADLINE` that say something of these models."""
    by_name = {total.name: total for total in found}
    shown = [by_name[name] for name in HEADLINE if name in by_name]
    return [
        total for total in shown if (total.before or total.after) and not _repeats(total, by_name)
    ]


def _repeats(total: Total, by_name: Mapping[str, Total]) -> bool:
    """Whether active parameters are all there are, in both."""
    every = by_name["parameters"]
    same = (total.before, total.after) == (every.before, every.after)
    return total.name == "parameters_active" and same


def one_total(name: str, before: CostReport, after: CostReport, parts: Sequence[Part]) -> Total:
    """A total that can be counted of both."""
    sizes = before.formulas[name], after.formulas[name]
    reports = before, after
    one, other = (exact(r.costs, s, r.at) for r, s in zip(reports, sizes, strict=True))
    powers = (
        length_power(size, report.costs.key) for size, report in zip(sizes, reports, strict=True)
    )
    old, new = powers
    causes = _causes(name, parts) if one != other else ()
    return Total(name, one, other, sizes, (old, new), causes)


def _causes(name: str, parts: Sequence[Part]) -> tuple[Cause, ...]:
    figure = _figure(name)
    ranked = sorted((part for part in parts if figure in part.blame), key=_by(figure))
    if ranked:
        return tuple(dict.fromkeys(cause for part in ranked for cause in part.blame[figure]))
    every = (found for part in parts for found in part.blame.values())
    return tuple(dict.fromkeys(cause for found in every for cause in found))


def _by(figure: str) -> Callable[[Part], int]:
    def less(part: Part) -> int:
        old, new = part.numbers(figure)
        return -abs(new - old)

    return less


def _figure(name: str) -> str:
    if name in FIGURE:
        return FIGURE[name]
    if name.startswith("attention_"):
        return "attention_scores_elements"
    return "matmul_flops" if METRICS[name].unit in ("FLOP", "MAC") else "parameters"
