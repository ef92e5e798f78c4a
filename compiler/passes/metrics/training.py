"""Totals of a training step: gradients, what is computed again, and states of the optimizer."""

from dataclasses import dataclass
from typing import Final

from compiler.ir.size import Poly, as_poly, total
from compiler.passes.cost import Costs
from compiler.passes.metrics.metric import Metric, always
from compiler.passes.metrics.weights import parameters
from compiler.passes.setting import Optimizer, Setting


@dataclass(frozen=True)
class States:
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


def _backward(costs: Costs, setting: Setting) -> Poly:
    if setting.kernel == "fused":
        return total(row.backward_fused for row in costs.rows)
    return total(row.backward for row in costs.rows)


def _again(costs: Costs, setting: Setting) -> Poly:
    if setting.forgets == "full":
        return total(row.cost.total("matmul") for row in costs.rows if row.layered)
    if setting.forgets == "selective":
        inside = (row.cost for row in costs.rows if row.attends)
        return total(cost.total("matmul") - cost.total("maps") for cost in inside)
    return as_poly(0)


def _model(costs: Costs) -> Poly:
    return costs.total("matmul") + total(row.backward for row in costs.rows)


def _hardware(costs: Costs, setting: Setting) -> Poly:
    return costs.total("matmul") + _backward(costs, setting) + _again(costs, setting)


def _masters(costs: Costs, setting: Setting) -> Poly:
    return parameters(costs) * (0 if setting.precision == "fp32" else MASTER_BYTES)


def _optimizer(costs: Costs, setting: Setting) -> Poly:
    return parameters(costs) * STATES[setting.optimizer].bytes


def _weights(costs: Costs, setting: Setting) -> Poly:
    return parameters(costs) * setting.bytes


def _states(costs: Costs, setting: Setting) -> Poly:
    return 2 * _weights(costs, setting) + _masters(costs, setting) + _optimizer(costs, setting)


TRAINING: Final[dict[str, Metric]] = {
    "backward_flops": Metric(
        "FLOP",
        "matrix products of all gradients; a fused attention makes its scores once more",
        _backward,
    ),
    "recompute_flops": Metric(
        "FLOP", "matrix products of what training forgets and computes again", _again
    ),
    "training_flops": Metric(
        "FLOP", "matrix products of a training step, all that the hardware runs (HFU)", _hardware
    ),
    "training_model_flops": Metric(
        "FLOP", "those that the model asks for, none of them twice (MFU)", always(_model)
    ),
    "gradients_bytes": Metric("bytes", "a gradient a weight, in the model's type", _weights),
    "master_weights_bytes": Metric(
        "bytes", "float32 copies of weights that are kept in less", _masters
    ),
    "optimizer_bytes": Metric("bytes", "what the optimizer keeps of each weight", _optimizer),
    "training_states_bytes": Metric(
        "bytes", "weights, gradients, master copies and optimizer together", _states
    ),
}
