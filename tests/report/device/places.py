"""Reports to put on devices, and devices with round numbers."""

from functools import cache
from typing import Any

from archspec.load import load
from compiler.passes.setting import USUAL, Setting
from compiler.pipeline.costs import report_of
from compiler.pipeline.passes import lowered
from compiler.report.costs import CostReport
from compiler.report.device.device import GIB, Device
from tests.passes.samples import LLAMA
from tests.shipped import SPECS


@cache
def report(name: str, setting: Setting = USUAL, /, **at: int) -> CostReport:
    """A spec of the project at some lengths."""
    spec = load(SPECS / f"{name}.yaml")
    return report_of(spec, lowered(spec), at, setting)


def small(setting: Setting = USUAL, /, **at: int) -> CostReport:
    """A small decoder at some lengths."""
    spec = load(LLAMA)
    return report_of(spec, lowered(spec), at, setting)


def pooled() -> CostReport:
    """A model that only averages: no weights and no matrix products."""
    graph = {"y": {"pool": "mean", "in": "x"}}
    spec = load({"name": "pooled", "inputs": {"x": {"features": ["T", 64]}}, "graph": graph})
    return report_of(spec, lowered(spec), {})


def plain(**changes: Any) -> Device:
    """A device of a thousand GFLOP/s and ten GB/s."""
    known: dict[str, Any] = {
        "name": "plain",
        "title": "a plain device",
        "memory": 8 * GIB,
        "bandwidth": 10**10,
        "rates": {"bf16": 10**12, "fp32": 10**11},
    }
    return Device(**{**known, **changes})
