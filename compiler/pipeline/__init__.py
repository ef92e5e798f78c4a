"""From a spec to everything made of it: the one place that knows the order.

Names are imported when they are first used, so that a question loads only what answers it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from compiler.pipeline.as_written import intact, is_built
    from compiler.pipeline.ask import Checked, check, cost, graph, primitives, show, verify
    from compiler.pipeline.building import Built, build
    from compiler.pipeline.compare import diff
    from compiler.pipeline.drift import Drift, check_generated
    from compiler.pipeline.exporting import Exported, export
    from compiler.pipeline.precision import verify_on
    from compiler.pipeline.program import Program, compile
    from compiler.pipeline.review import report

__all__ = [
    "Built",
    "Checked",
    "Drift",
    "Exported",
    "Program",
    "build",
    "check",
    "check_generated",
    "compile",
    "cost",
    "diff",
    "export",
    "graph",
    "intact",
    "is_built",
    "primitives",
    "report",
    "show",
    "verify",
    "verify_on",
]

MODULES: Final = {
    "as_written": ("intact", "is_built"),
    "ask": ("Checked", "check", "cost", "graph", "primitives", "show", "verify"),
    "building": ("Built", "build"),
    "compare": ("diff",),
    "drift": ("Drift", "check_generated"),
    "exporting": ("Exported", "export"),
    "precision": ("verify_on",),
    "program": ("Program", "compile"),
    "review": ("report",),
}


def __getattr__(name: str) -> Any:
    for module, names in MODULES.items():
        if name in names:
            return getattr(import_module(f"compiler.pipeline.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
