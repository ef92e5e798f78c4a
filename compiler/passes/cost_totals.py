"""The totals of a cost report: a formula each, by the name that budgets use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from compiler.ir.size import Poly, Size, as_poly, greatest, half, total, value
from compiler.passes.cost import Costs

Precision = Literal["fp32", "bf16", "fp16"]
Unit = Literal["parameters", "FLOP", "MAC", "steps", "bytes"]
BYTES: Final[dict[Precision, int]] = {"fp32": 4, "bf16": 2, "fp16": 2}
STATISTIC_BYTES: Final = 4
"""Fused kernels keep their log-sum-exp in float32 whatever the model's type is."""


@dataclass(frozen=True)
class Metric:
    """A total: its unit, meaning and formula; `scaled` ones count elements of the model's type."""

    unit: Unit
    meaning: str
    count: Callable[[Costs], Poly]
    scaled: bool = False

    def formula(self, costs: Costs, precision: Precision) -> Poly:
        """The total in the letters of the costs' key."""
        found = self.count(costs)
        return found * BYTES[precision] if self.scaled else found


def _parameters(costs: Costs) -> Poly:
    return total(row.parameters for row in costs.rows)


def _embedding(costs: Costs) -> Poly:
    return total(row.parameters for row in costs.rows if row.embedding)


def _attention(costs: Costs, name: str) -> Poly:
    """What pairs positions, without what the same operators map by weights."""
    return total(row.cost.total(name) - row.cost.total("maps") for row in costs.rows if row.attends)


def _largest(costs: Costs, name: str) -> Poly:
    found = [row.each.total(name) for row in costs.rows if row.attends]
    return greatest(*found) if found else as_poly(0)


def _one_token(costs: Costs) -> Poly:
    """One new position after S - 1 seen ones, the source encoded; nothing where there is no
    cache."""
    if not costs.seen:
        return as_poly(0)
    found = total(row.cost.total("matmul") for row in costs.rows if not row.once)
    return found.at({costs.target: 1})


def _one_position(costs: Costs) -> Poly:
    one = {name: 1 for name in (costs.batch, costs.seen) if name}
    return costs.total("state").at(one)


METRICS: Final[dict[str, Metric]] = {
    "parameters": Metric("parameters", "weights that training changes", _parameters),
    "parameters_active": Metric(
        "parameters",
        "those that one position makes use of: all but the experts it is not sent to",
        lambda c: total(row.active for row in c.rows),
    ),
    "parameters_embedding": Metric(
        "parameters", "those in tables that ids and places pick rows of", _embedding
    ),
    "parameters_non_embedding": Metric(
        "parameters", "all others", lambda c: _parameters(c) - _embedding(c)
    ),
    "matmul_flops": Metric(
        "FLOP", "matrix products, every pair of an attention", lambda c: c.total("matmul")
    ),
    "matmul_flops_causal": Metric(
        "FLOP",
        "the same over the pairs that causal masks let through",
        lambda c: c.total("visible"),
    ),
    "matmul_macs": Metric(
        "MAC", "`matmul_flops` as multiply-adds", lambda c: half(c.total("matmul"))
    ),
    "matmul_macs_causal": Metric(
        "MAC", "`matmul_flops_causal` as multiply-adds", lambda c: half(c.total("visible"))
    ),
    "linear_flops": Metric(
        "FLOP",
        "matrix products with weights, linear in the length",
        lambda c: c.total("matmul") - _attention(c, "matmul"),
    ),
    "attention_flops": Metric(
        "FLOP", "matrix products of positions with positions", lambda c: _attention(c, "matmul")
    ),
    "attention_flops_causal": Metric(
        "FLOP", "the same over the visible pairs", lambda c: _attention(c, "visible")
    ),
    "elementwise_flops": Metric(
        "FLOP", "everything that is no matrix product", lambda c: c.total("elementwise")
    ),
    "all_flops": Metric(
        "FLOP",
        "`matmul_flops` and `elementwise_flops`",
        lambda c: c.total("matmul") + c.total("elementwise"),
    ),
    "decode_flops": Metric(
        "FLOP", "matrix products of one new position after S - 1 cached ones", _one_token
    ),
    "sequential_steps": Metric(
        "steps", "cells of recurrences that wait for the one before", lambda c: c.total("steps")
    ),
    "weights_bytes": Metric("bytes", "all parameters", _parameters, scaled=True),
    "kv_bytes_per_token": Metric(
        "bytes", "keys and values that a decoder keeps of one position", _one_position, scaled=True
    ),
    "kv_bytes": Metric(
        "bytes", "keys and values of all seen positions", lambda c: c.total("state"), scaled=True
    ),
    "attention_matrix_bytes_layer": Metric(
        "bytes",
        "scores of the largest single attention, as an unfused kernel writes them",
        lambda c: _largest(c, "scores"),
        scaled=True,
    ),
    "attention_matrix_bytes_total": Metric(
        "bytes",
        "scores of all attentions, as unfused training keeps them",
        lambda c: c.total("scores"),
        scaled=True,
    ),
    "attention_fused_bytes_layer": Metric(
        "bytes",
        "what a fused kernel keeps of that attention instead: one float32 log-sum-exp a row",
        lambda c: _largest(c, "statistics") * STATISTIC_BYTES,
    ),
    "attention_fused_bytes_total": Metric(
        "bytes", "the same of all attentions", lambda c: c.total("statistics") * STATISTIC_BYTES
    ),
    "attention_bias_bytes": Metric(
        "bytes",
        "position biases, written out for fused kernels too",
        lambda c: c.total("bias"),
        scaled=True,
    ),
}


def formulas(costs: Costs, precision: Precision = "bf16") -> dict[str, Poly]:
    """Every total as a formula in the letters of the costs' key."""
    return {name: metric.formula(costs, precision) for name, metric in METRICS.items()}


def totals(costs: Costs, at: Mapping[str, int], precision: Precision = "bf16") -> dict[str, int]:
    """Every total as an exact integer; `at` has a size for every free letter."""
    return {name: exact(costs, found, at) for name, found in formulas(costs, precision).items()}


def exact(costs: Costs, size: Size, at: Mapping[str, int]) -> int:
    """A formula of the costs as an integer, fixed letters put in."""
    return value(size, {**costs.key.sizes, **at})
