"""Totals of a training step: gradients, what is computed again, and states of the optimizer."""

from collections.abc import Callable
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, total
from compiler.passes.cost import Costs, Row
from compiler.passes.metrics.metric import Metric
from compiler.passes.setting import Optimizer, Setting


class States(Frozen):
    """Bytes that an optimizer keeps of a weight, beside weight and gradient; below float32 a
    master copy of 4 bytes comes with it."""

    bytes: int
    what: str


STATES: Final[dict[Optimizer, States]] = {
    "adamw": States(8, "two moments in float32 (Loshchilov & Hutter 2019)"),
    "adam8bit": States(2, "two moments in 8 bits, without their scales (Dettmers et al. 2022)"),
    "sgd": States(4, "a momentum in float32"),
    "muon": States(4, "a momentum in float32 (Jordan et al. 2024)"),
}
MASTER_BYTES: Final = 4


def backward(row: Row, setting: Setting) -> Poly:
    """Matrix products of the gradients that go through an operator."""
    return row.backward_fused if setting.kernel == "fused" else row.backward


def again(row: Row, setting: Setting) -> Poly:
    """Matrix products of an operator that training forgets and computes again."""
    if setting.forgets == "full" and row.layered:
        return row.cost.total("matmul")
    if setting.forgets == "selective" and row.attends:
        return row.cost.total("matmul") - row.cost.total("maps")
    return as_poly(0)


def masters(row: Row, setting: Setting) -> Poly:
    """Bytes of float32 copies of an operator's weights."""
    return row.parameters * (0 if setting.precision == "fp32" else MASTER_BYTES)


def optimizer(row: Row, setting: Setting) -> Poly:
    """Bytes that the optimizer keeps of an operator's weights."""
    return row.parameters * STATES[setting.optimizer].bytes


def gradients(row: Row, setting: Setting) -> Poly:
    """Bytes of the gradients of an operator's weights."""
    return row.parameters * setting.bytes


def _rows(figure: Callable[[Row, Setting], Poly]) -> Callable[[Costs, Setting], Poly]:
    return lambda costs, setting: total(figure(row, setting) for row in costs.rows)


def _hardware(row: Row, setting: Setting) -> Poly:
    return row.cost.total("matmul") + backward(row, setting) + again(row, setting)


def _states(row: Row, setting: Setting) -> Poly:
    return 2 * gradients(row, setting) + masters(row, setting) + optimizer(row, setting)


TRAINING: Final[dict[str, Metric]] = {
    "backward_flops": Metric(
        "FLOP",
        "matrix products of all gradients; a fused attention makes its scores once more",
        _rows(backward),
    ),
    "recompute_flops": Metric(
        "FLOP", "matrix products of what training forgets and computes again", _rows(again)
    ),
    "training_flops": Metric(
        "FLOP",
        "matrix products of a training step, all that the hardware runs (HFU)",
        _rows(_hardware),
    ),
    "training_model_flops": Metric(
        "FLOP",
        "those that the model asks for, none of them twice (MFU)",
        _rows(lambda row, _: row.cost.total("matmul") + row.backward),
    ),
    "gradients_bytes": Metric(
        "bytes", "a gradient a weight, in the model's type", _rows(gradients)
    ),
    "master_weights_bytes": Metric(
        "bytes", "float32 copies of weights that are kept in less", _rows(masters)
    ),
    "optimizer_bytes": Metric("bytes", "what the optimizer keeps of each weight", _rows(optimizer)),
    "training_states_bytes": Metric(
        "bytes", "weights, gradients, master copies and optimizer together", _rows(_states)
    ),
}
