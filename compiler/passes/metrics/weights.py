"""Totals of the weights."""

from typing import Final

from compiler.ir.size import Poly, total
from compiler.passes.cost import Costs, Row
from compiler.passes.metrics.metric import Metric, always
from compiler.passes.setting import Setting


def parameters(costs: Costs) -> Poly:
    """Elements of all weights that training changes."""
    return total(row.parameters for row in costs.rows)


def held_bytes(row: Row, setting: Setting) -> Poly:
    """Bytes of the weights that an operator owns; where they are rounded, as ONNX files hold them,
    those that no gradient reaches too."""
    if setting.rounded is None:
        return row.parameters * setting.bytes
    assert row.rounded is not None
    return row.rounded.one_copy(setting.rounded) * row.rounded.copies


def _held(costs: Costs, setting: Setting) -> Poly:
    return total(held_bytes(row, setting) for row in costs.rows)


def _embedding(costs: Costs) -> Poly:
    return total(row.parameters for row in costs.rows if row.embedding)


def _frozen(costs: Costs) -> Poly:
    return total(row.frozen for row in costs.rows)


PARAMETERS: Final[dict[str, Metric]] = {
    "parameters": Metric("parameters", "weights that training changes", always(parameters)),
    "parameters_active": Metric(
        "parameters",
        "those that one position makes use of: all but the experts it is not sent to",
        always(lambda c: total(row.active for row in c.rows)),
    ),
    "parameters_frozen": Metric(
        "parameters",
        "numbers beside them that a checkpoint holds and no gradient reaches",
        always(_frozen),
        tells=lambda costs: bool(_frozen(costs).terms),
    ),
    "parameters_embedding": Metric(
        "parameters", "those in tables that ids and places pick rows of", always(_embedding)
    ),
    "parameters_non_embedding": Metric(
        "parameters", "all others", always(lambda c: parameters(c) - _embedding(c))
    ),
}
WEIGHTS: Final[dict[str, Metric]] = {
    "weights_bytes": Metric("bytes", "all parameters", _held),
}
