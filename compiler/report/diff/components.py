"""What the components of two specs cost, side by side, their layers together."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from archspec.model.spec import Spec
from archspec.model.stack import Stack
from archspec.source.frozen import Frozen
from compiler.ir.program import any_layer
from compiler.ir.size import Poly, total
from compiler.passes.cost import Row
from compiler.passes.metrics import exact
from compiler.passes.metrics.weights import held_bytes
from compiler.report.costs import CostReport
from compiler.report.diff.change import ranges
from compiler.report.explain.figures import FIGURES

COMPARED: Final = (
    "parameters",
    "parameters_active",
    "matmul_flops",
    "matmul_flops_causal",
    "elementwise_flops",
    "attention_scores_elements",
    "kv_elements",
    "sequential_steps",
    "backward_flops",
    "read_bytes",
    "written_bytes",
)
"""The figures of a row that are compared, for all its uses together."""


class Slot(Frozen):
    """An operator of a component, all layers that have it together: its formulas and numbers."""

    operator: str
    formulas: Mapping[str, Poly]
    numbers: Mapping[str, int]


class Bill(Frozen):
    """What one component of one spec costs, all of its `layers` together; `weights` are bytes."""

    path: str
    layers: int
    weights: int
    formulas: Mapping[str, Poly]
    numbers: Mapping[str, int]
    slots: Mapping[str, Slot]


def bills(report: CostReport, spec: Spec, names: Callable[[str], str]) -> dict[str, Bill]:
    """A bill for each component by its path without layers (`h.layer.attn`).

    `names` translates such a path to that of the other spec, where parts were renamed.
    """
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in report.costs.rows:
        own, rest = _component(row.path, spec)
        groups.setdefault(own, {}).setdefault(rest, []).append(row)
    every = {own: [row for rows in below.values() for row in rows] for own, below in groups.items()}
    return {
        names(own): Bill(
            *_shown(own, spec),
            _weights(every[own], report),
            *_summed(every[own], report),
            {rest: Slot(rows[0].operator, *_summed(rows, report)) for rest, rows in below.items()},
        )
        for own, below in groups.items()
    }


def _summed(rows: Iterable[Row], report: CostReport) -> tuple[dict[str, Poly], dict[str, int]]:
    found = list(rows)
    formulas = {
        name: total(FIGURES[name].formula(row, report.setting) for row in found)
        for name in COMPARED
    }
    numbers = {name: exact(report.costs, size, report.at) for name, size in formulas.items()}
    return formulas, numbers


def _weights(rows: Iterable[Row], report: CostReport) -> int:
    size = total(held_bytes(row, report.setting) for row in rows)
    return exact(report.costs, size, report.at)


def _component(path: str, spec: Spec) -> tuple[str, str]:
    """The component of a row and the row's name in it."""
    name, _, rest = path.partition(".")
    node = spec.graph.get(name)
    if node is None:
        owners = [known for known in spec.graph if name.startswith(f"{known}_")]
        owner = max(owners, key=len, default=name)
        return owner, f"{name.removeprefix(owner)}.{rest}".strip("_.")
    if not isinstance(node.component, Stack):
        return name, rest
    inside = any_layer(path).removeprefix(f"{name}.").removeprefix("*.")
    sub, _, below = inside.partition(".")
    kinds = (layer.sublayers.get(sub) for layer in node.component.variants)
    mixers = {
        mixer for kind in kinds if kind is not None and kind.parallel for mixer in kind.mixers
    }
    first, _, last = below.partition(".")
    if first in mixers:
        return f"{name}.layer.{sub}.{first}", last
    return f"{name}.layer.{sub}", below


def _shown(component: str, spec: Spec) -> tuple[str, int]:
    """The path with its layers, `h.0..32.attn`, and how many they are."""
    name, dot, rest = component.partition(".layer.")
    node = spec.graph.get(name)
    if not dot or node is None or not isinstance(node.component, Stack):
        return component, 1
    layers = int(node.component.repeat)
    return f"{name}.{ranges(range(layers))}.{rest}", layers
