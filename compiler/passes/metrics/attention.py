"""Totals of what pairs positions: the matrix of unfused attention against the fused kernel."""

from typing import Final

from compiler.ir.size import Poly, as_poly, greatest
from compiler.ir.traffic import STATISTIC
from compiler.passes.cost import Costs
from compiler.passes.metrics.metric import Metric, always, elements


def _largest(costs: Costs, name: str) -> Poly:
    found = [row.each.total(name) for row in costs.rows if row.attends]
    return greatest(*found) if found else as_poly(0)


ATTENTION: Final[dict[str, Metric]] = {
    "attention_matrix_bytes_layer": Metric(
        "bytes",
        "scores of the largest single attention, as an unfused kernel writes them",
        elements(lambda c: _largest(c, "scores")),
    ),
    "attention_matrix_bytes_total": Metric(
        "bytes",
        "scores of all attentions, as unfused training keeps them",
        elements(lambda c: c.total("scores")),
    ),
    "attention_fused_bytes_layer": Metric(
        "bytes",
        "what a fused kernel keeps of that attention instead: one float32 log-sum-exp a row",
        always(lambda c: _largest(c, "statistics") * STATISTIC),
    ),
    "attention_fused_bytes_total": Metric(
        "bytes",
        "the same of all attentions",
        always(lambda c: c.total("statistics") * STATISTIC),
    ),
    "attention_bias_bytes": Metric(
        "bytes",
        "position biases, written out for fused kernels too",
        elements(lambda c: c.total("bias")),
    ),
}
