"""The figures of one operator, by the names that `archc cost --json` gives them."""

from collections.abc import Callable
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, half
from compiler.passes.cost import Row
from compiler.passes.metrics.traffic import read_bytes, written_bytes
from compiler.passes.metrics.training import again, backward, gradients, masters, optimizer
from compiler.passes.metrics.weights import held_bytes
from compiler.passes.setting import Setting


class Figure(Frozen):
    """A unit, a meaning, and the formula of all uses of an operator together; of `weights`, which
    layers may share, all uses are one."""

    unit: str
    meaning: str
    formula: Callable[[Row, Setting], Poly]
    weights: bool = False


def _of_cost(name: str) -> Callable[[Row, Setting], Poly]:
    return lambda row, _: row.cost.total(name)


def _of_weights(unit: str, meaning: str, formula: Callable[[Row, Setting], Poly]) -> Figure:
    return Figure(unit, meaning, formula, weights=True)


FIGURES: Final[dict[str, Figure]] = {
    "uses": Figure("uses", "how often one forward runs its operators", lambda row, _: row.uses),
    "parameters": _of_weights("parameters", "weights that it owns", lambda row, _: row.parameters),
    "parameters_active": _of_weights(
        "parameters", "those that one position makes use of", lambda row, _: row.active
    ),
    "parameters_frozen": _of_weights(
        "parameters", "those beside them that no gradient reaches", lambda row, _: row.frozen
    ),
    "weights_bytes": _of_weights("bytes", "weights that it owns", held_bytes),
    "matmul_flops": Figure(
        "FLOP", "matrix products, every pair of an attention", _of_cost("matmul")
    ),
    "matmul_flops_causal": Figure(
        "FLOP", "the same over the pairs that causal masks let through", _of_cost("visible")
    ),
    "matmul_macs": Figure(
        "MAC", "matrix products as multiply-adds", lambda row, _: half(as_poly(row.cost.matmul))
    ),
    "elementwise_flops": Figure(
        "FLOP", "everything that is no matrix product", _of_cost("elementwise")
    ),
    "sequential_steps": Figure(
        "steps", "cells of recurrences that wait for the one before", _of_cost("steps")
    ),
    "backward_flops": Figure("FLOP", "matrix products of its gradients", backward),
    "recompute_flops": Figure(
        "FLOP", "matrix products that training forgets and computes again", again
    ),
    "gradients_bytes": _of_weights("bytes", "a gradient a weight", gradients),
    "master_weights_bytes": _of_weights("bytes", "float32 copies of its weights", masters),
    "optimizer_bytes": _of_weights("bytes", "what the optimizer keeps of its weights", optimizer),
    "attention_scores_elements": Figure(
        "elements", "scores that an unfused kernel writes", _of_cost("scores")
    ),
    "attention_statistics_elements": Figure(
        "elements", "what a fused kernel keeps instead", _of_cost("statistics")
    ),
    "kv_elements": Figure(
        "elements", "what decoding must keep between steps", lambda row, _: row.needed * row.uses
    ),
    "kv_bytes": Figure(
        "bytes",
        "what decoding must keep between steps",
        lambda row, s: row.needed * row.uses * s.bytes,
    ),
    "kv_held_bytes": Figure(
        "bytes",
        "what the generated code keeps between steps",
        lambda row, s: row.cost.total("state") * s.bytes,
    ),
    "read_bytes": Figure("bytes", "what it reads: inputs and weights", read_bytes),
    "written_bytes": Figure("bytes", "what it writes", written_bytes),
}
SHORT: Final = {
    "flops": "matmul_flops",
    "flops_causal": "matmul_flops_causal",
    "macs": "matmul_macs",
    "params": "parameters",
    "steps": "sequential_steps",
    "scores": "attention_scores_elements",
    "statistics": "attention_statistics_elements",
}
"""What people say."""


def figure_called(name: str) -> str:
    """The full name of a figure; empty where there is none."""
    full = SHORT.get(name, name)
    return full if full in FIGURES else ""
