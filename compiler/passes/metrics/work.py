"""Totals of the work of one forward."""

from typing import Final

from compiler.ir.size import Poly, half, total
from compiler.passes.cost import Costs
from compiler.passes.metrics.metric import Metric, always, decoding


def _attention(costs: Costs, name: str) -> Poly:
    """What pairs positions, without what the same operators map by weights."""
    return total(row.cost.total(name) - row.cost.total("maps") for row in costs.rows if row.attends)


WORK: Final[dict[str, Metric]] = {
    "matmul_flops": Metric(
        "FLOP", "matrix products, every pair of an attention", always(lambda c: c.total("matmul"))
    ),
    "matmul_flops_causal": Metric(
        "FLOP",
        "the same over the pairs that causal masks let through",
        always(lambda c: c.total("visible")),
    ),
    "matmul_macs": Metric(
        "MAC", "`matmul_flops` as multiply-adds", always(lambda c: half(c.total("matmul")))
    ),
    "matmul_macs_causal": Metric(
        "MAC", "`matmul_flops_causal` as multiply-adds", always(lambda c: half(c.total("visible")))
    ),
    "linear_flops": Metric(
        "FLOP",
        "matrix products with weights, linear in the length",
        always(lambda c: c.total("matmul") - _attention(c, "matmul")),
    ),
    "attention_flops": Metric(
        "FLOP",
        "matrix products of positions with positions",
        always(lambda c: _attention(c, "matmul")),
    ),
    "attention_flops_causal": Metric(
        "FLOP", "the same over the visible pairs", always(lambda c: _attention(c, "visible"))
    ),
    "elementwise_flops": Metric(
        "FLOP", "everything that is no matrix product", always(lambda c: c.total("elementwise"))
    ),
    "all_flops": Metric(
        "FLOP",
        "`matmul_flops` and `elementwise_flops`",
        always(lambda c: c.total("matmul") + c.total("elementwise")),
    ),
    "decode_flops": Metric(
        "FLOP",
        "matrix products of one new position after S - 1 cached ones",
        decoding(lambda row, _: row.cost.total("matmul")),
    ),
    "sequential_steps": Metric(
        "steps",
        "cells of recurrences that wait for the one before",
        always(lambda c: c.total("steps")),
    ),
}
