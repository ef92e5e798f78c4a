"""Totals of the tensors that a running model makes, every storage once."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from compiler.ir.size import Poly, as_poly
from compiler.passes.cost import Costs
from compiler.passes.metrics.metric import Metric
from compiler.passes.setting import Setting

if TYPE_CHECKING:
    from compiler.shadow import Held


def known(costs: Costs) -> bool:
    """Whether there is generated code, and all of it can be counted: sizes in it follow from
    lengths, not from numbers."""
    return costs.memory is not None and not costs.memory.unknown


def _of(read: "Callable[[Held], Poly]", training: bool) -> Callable[[Costs, Setting], Poly]:
    def formula(costs: Costs, setting: Setting) -> Poly:
        if costs.memory is None:
            return as_poly(0)
        return read(costs.memory.held(setting, training))

    return formula


def _decodes(costs: Costs) -> bool:
    return bool(costs.seen) and known(costs)


def _step(costs: Costs, setting: Setting) -> Poly:
    return as_poly(0) if costs.memory is None else costs.memory.step(setting)


MEMORY: Final[dict[str, Metric]] = {
    "forward_peak_bytes": Metric(
        "bytes",
        "the most that tensors of a forward come to at once, beside weights and inputs",
        _of(lambda held: held.peak, training=False),
        known,
    ),
    "saved_bytes": Metric(
        "bytes",
        "tensors that a forward makes and its backward pass needs",
        _of(lambda held: held.saved, training=True),
        known,
    ),
    "training_forward_peak_bytes": Metric(
        "bytes",
        "the most that is there at once in a forward that keeps them",
        _of(lambda held: held.training_peak, training=True),
        known,
    ),
    "decode_peak_bytes": Metric(
        "bytes",
        "the most at once where one position is new after S - 1 cached ones",
        _step,
        _decodes,
    ),
}
