"""A cost report on a device: times, bounds and what fits, with what is assumed shown apart."""

from functools import cached_property
from typing import Any

from archspec.source.expect import expect
from archspec.source.frozen import Frozen
from archspec.source.suggest import listed
from compiler.report.costs import CostReport
from compiler.report.device.assumed import Assumed, assumed
from compiler.report.device.device import Device
from compiler.report.device.figures import nine, per
from compiler.report.device.fit import Fit, fits
from compiler.report.device.problem import problem
from compiler.report.device.roofline import BOUNDS, Node, Phase, phases
from compiler.report.device.step import Step, step
from compiler.report.device.table import OPTION, device


class OnDevice(Frozen):
    """What `archc cost --device` answers beside the report."""

    report: CostReport
    device: Device
    assume: Assumed

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """A forward and, where there is a cache, a step of decoding."""
        return phases(self.report, self.device, self.assume)

    @property
    def room(self) -> int:
        """Bytes of its memory that the model can have."""
        return self.assume.room(self.device)

    @cached_property
    def fits(self) -> tuple[Fit, ...]:
        """What fits into its memory, for inference and for training."""
        return tuple(fits(self.report, self.room))

    @cached_property
    def step(self) -> Step:
        """A training step."""
        return step(self.report, self.device, self.assume)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def text(self) -> str:
        """For a terminal, without colour."""
        from compiler.report.device.section import text

        return text(self)

    def markdown(self) -> str:
        """A section for a pull request."""
        from compiler.report.device.section import markdown

        return markdown(self)

    def document(self) -> dict[str, Any]:
        """For a program: seconds and bytes a second in the names."""
        return {
            **self.device.document(),
            "precision": self.report.precision,
            "assumptions": self.assume.document(),
            "phases": [_phase(phase) for phase in self.phases],
            "training": self.step.document(),
            "fits": [fit.document() for fit in self.fits],
        }


def on(report: CostReport, said: str | Device, assume: str = "") -> OnDevice:
    """A report on a device, called as `--device` has it.

    Raises SpecError where there is no such device, or none with a rate in the report's precision,
    and TypeError for what is neither a name nor a device.
    """
    expect(said, (str, Device), "`device` must be a name or a Device")
    expect(assume, str, "`assume` must be a text, as `mfu=0.5`")
    found = said if isinstance(said, Device) else device(said)
    if report.precision not in found.rates:
        message = f"no rate of `{found.name}` in {report.precision} is known"
        name = said if isinstance(said, str) else said.name
        label = f"there are rates in {listed(found.rates, 'and')}"
        help_ = "give one in a file of your own: `--device FILE.yaml`"
        raise problem("AR0954", message, (OPTION, name), label, help_)
    return OnDevice(report, found, assumed(found, report.precision, assume))


def _phase(phase: Phase) -> dict[str, Any]:
    return {
        "name": phase.name,
        "tokens": phase.tokens,
        "flops": phase.flops,
        "moved_bytes": round(phase.moved),
        "flops_per_byte": nine(per(phase.flops, phase.moved)),
        "weights_bytes": round(phase.weights),
        "cache_bytes": phase.cache,
        "at_least_seconds": nine(phase.least),
        "tokens_per_second_at_most": nine(per(phase.tokens, phase.least)),
        "mfu_at_most": nine(phase.utilisation(phase.least)),
        "roofline_seconds": nine(phase.roofline),
        "mfu_by_roofline": nine(phase.utilisation(phase.roofline)),
        "assumed_seconds": nine(phase.seconds),
        "tokens_per_second_assumed": nine(per(phase.tokens, phase.seconds)),
        "mfu_assumed": nine(phase.utilisation(phase.seconds)),
        "bound": phase.bound,
        "shares": {bound: nine(phase.share(bound)) for bound in BOUNDS},
        "nodes": [_node(node) for node in phase.nodes if node.kernels],
    }


def _node(node: Node) -> dict[str, Any]:
    return {
        "path": node.path,
        "operator": node.operator,
        "flops": node.flops,
        "moved_bytes": round(node.moved),
        "flops_per_byte": nine(node.intensity),
        "kernels": node.kernels,
        "roofline_seconds": nine(node.floor),
        "assumed_seconds": nine(node.seconds),
        "bound": node.bound,
    }
