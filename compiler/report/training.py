"""What training takes: the section of a cost report that stands there where it is asked for."""

from typing import Final

from compiler.passes.metrics import METRICS
from compiler.passes.setting import Kernel, Recompute, Setting
from compiler.report.costs import CostReport
from compiler.report.numbers import grouped, in_unit
from compiler.report.table import Table

SHOWN: Final = (
    "matmul_flops",
    "backward_flops",
    "recompute_flops",
    "training_flops",
    "training_model_flops",
    "weights_bytes",
    "gradients_bytes",
    "master_weights_bytes",
    "optimizer_bytes",
    "training_states_bytes",
    "saved_bytes",
    "training_forward_peak_bytes",
    "training_tensors_bytes",
    "training_peak_bytes",
)
"""Work first, then what lies in memory; a model that has no count of one lacks its line."""
KERNELS: Final[dict[Kernel, str]] = {
    "fused": "fused attention",
    "eager": "attention written out",
}
RECOMPUTED: Final[dict[Recompute, str]] = {
    "none": "nothing computed twice",
    "selective": "the inside of attentions computed again",
    "full": "layers computed again",
}


def trained(report: CostReport, quote: str = "") -> Table:
    """The totals of a training step; `quote` stands around their names."""
    report = report.in_floats
    rows = [
        (
            f"{quote}{name}{quote}",
            in_unit(report.totals[name], METRICS[name].unit),
            grouped(report.totals[name]),
            METRICS[name].meaning,
        )
        for name in SHOWN
        if name in report.totals
    ]
    return Table(("total", "", "exactly", "meaning"), rows, frozenset({1, 2}))


def uncounted(report: CostReport) -> str:
    """Why a step has no peak here, in a sentence; empty where it has one."""
    memory = report.costs.memory
    why = memory.one_way if memory else ""
    return f"`training_peak_bytes` is not known for this model: {why}." if why else ""


def setting_said(setting: Setting) -> str:
    """The setting in words."""
    how = f"{KERNELS[setting.kernel]}, {RECOMPUTED[setting.forgets]}"
    return f"{setting.precision} with {setting.optimizer}, {how}"
