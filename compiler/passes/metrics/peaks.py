"""Totals of a whole step of training, and of all that is in memory at once."""

from typing import Final

from compiler.ir.size import Poly, as_poly, greatest, total
from compiler.passes.cost import Costs
from compiler.passes.metrics.cache import CACHE
from compiler.passes.metrics.memory import MEMORY, known
from compiler.passes.metrics.metric import Metric
from compiler.passes.metrics.training import TRAINING
from compiler.passes.metrics.weights import WEIGHTS, parameters
from compiler.passes.setting import Setting


def _goes_back(costs: Costs) -> bool:
    return costs.memory is not None and not costs.memory.one_way


def _training(costs: Costs, setting: Setting) -> Poly:
    """Gradients come while what the forward kept goes; the states are there all the time, and a
    step that is written in place needs no more. No weights that are trained are rounded."""
    step = as_poly(0) if costs.memory is None else costs.memory.training_step(setting)
    beside = (TRAINING["master_weights_bytes"], TRAINING["optimizer_bytes"])
    states = total(metric.formula(costs, setting) for metric in beside)
    return step + parameters(costs) * setting.bytes + states


def _accumulation(costs: Costs, setting: Setting) -> Poly:
    return as_poly(0) if costs.memory is None else costs.memory.accumulation(setting)


def _inference(costs: Costs, setting: Setting) -> Poly:
    forward = MEMORY["forward_peak_bytes"].formula(costs, setting)
    step = MEMORY["decode_peak_bytes"]
    fullest = forward
    if step.present(costs):
        source = CACHE["source_kv_bytes"].formula(costs, setting)
        given = source if costs.keeps_source else as_poly(0)
        fullest = greatest(forward, step.formula(costs, setting) + given)
    weights = WEIGHTS["weights_bytes"].formula(costs, setting)
    return weights + CACHE["kv_held_bytes"].formula(costs, setting) + fullest


STEP: Final = ("training_tensors_bytes", "training_peak_bytes")
"""Those that only models with a counted backward pass have."""
PEAKS: Final[dict[str, Metric]] = {
    "training_tensors_bytes": Metric(
        "bytes",
        "the most that tensors of a training step come to where all weights have gradients already",
        _accumulation,
        _goes_back,
    ),
    "training_peak_bytes": Metric(
        "bytes",
        "the most at once in a training step with a mean loss: states, gradients, tensors",
        _training,
        _goes_back,
    ),
    "inference_peak_bytes": Metric(
        "bytes",
        "the most at once without training: weights, cache and tensors of a forward or a step",
        _inference,
        known,
    ),
}
