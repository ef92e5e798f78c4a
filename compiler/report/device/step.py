"""A training step on a device, by its matrix products."""

from typing import Any

from archspec.source.frozen import Frozen
from compiler.report.costs import CostReport
from compiler.report.device.assumed import Assumed
from compiler.report.device.device import Device, mfu
from compiler.report.device.figures import nine, per


class Step(Frozen):
    """Forward, backward and what is computed again, every pair of an attention counted.

    Attributes:
        tokens: positions of the batch; its rows where positions are fixed.
        asked: FLOPs that the model asks for.
        run: FLOPs that the hardware runs: more where something is computed again.
        rate: FLOP/s of the device.
        efficiency: the share of the rate that is assumed to be reached.
    """

    tokens: int
    asked: int
    run: int
    rate: int
    efficiency: float

    @property
    def least(self) -> float:
        """Seconds at the whole rate."""
        return self.run / self.rate

    @property
    def seconds(self) -> float:
        """Seconds with what is assumed."""
        return self.least / self.efficiency

    def utilisation(self, seconds: float) -> float:
        """Model FLOPs utilisation if it takes `seconds`."""
        return mfu(self.asked / self.tokens, self.tokens / seconds, self.rate) if seconds else 0.0

    def document(self) -> dict[str, Any]:
        """For a program."""
        figures = {
            "at_full_rate_seconds": self.least,
            "tokens_per_second_at_full_rate": per(self.tokens, self.least),
            "mfu_at_full_rate": self.utilisation(self.least),
            "assumed_seconds": self.seconds,
            "tokens_per_second_assumed": per(self.tokens, self.seconds),
            "mfu_assumed": self.utilisation(self.seconds),
        }
        rounded = {name: nine(figure) for name, figure in figures.items()}
        return {
            "tokens": self.tokens,
            "model_flops": self.asked,
            "hardware_flops": self.run,
            **rounded,
        }


def step(report: CostReport, device: Device, assume: Assumed) -> Step:
    """A step at the lengths of a report."""
    costs, total = report.costs, report.totals
    tokens = report.at.get(costs.batch, 1) * report.at.get(costs.target, 1)
    asked, run = total["training_model_flops"], total["training_flops"]
    return Step(tokens, asked, run, device.rates[report.precision], assume.efficiency)
