"""From a spec to everything made of it: the one place that knows the order."""

from compiler.pipeline.ask import Checked, check, cost, graph, show, verify
from compiler.pipeline.build import Built, build
from compiler.pipeline.drift import Drift, check_generated
from compiler.pipeline.program import Program, compile

__all__ = [
    "Built",
    "Checked",
    "Drift",
    "Program",
    "build",
    "check",
    "check_generated",
    "compile",
    "cost",
    "graph",
    "show",
    "verify",
]
