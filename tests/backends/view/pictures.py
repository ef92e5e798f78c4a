"""Programs to draw."""

from typing import Any

from archspec.load import load
from compiler.ir.program import Program
from compiler.lower import lower
from tests.shipped import EVERY, SPECS

__all__ = ["EVERY", "program", "small"]


def program(name: str) -> Program:
    """One of the project's specs, lowered."""
    return lowered(load(SPECS / f"{name}.yaml"))


def small(**changes: Any) -> Program:
    """An encoder of six layers, every second one wider, whose name anybody may choose."""
    return lowered(
        load(
            {
                "name": "small",
                "inputs": {"ids": "tokens"},
                "graph": {
                    "tok": {"embed": {"vocab": 50, "dim": 8}, "in": "ids"},
                    "h": {
                        "stack": {
                            "repeat": 6,
                            "layer": {"mlp": {"mlp": {"hidden": 16, "act": "gelu"}}},
                            "cycle": [{}, {"mlp.hidden": 32}],
                        }
                    },
                    "y": {"linear": {"dim": 3}},
                },
                **changes,
            }
        )
    )


def lowered(spec: Any) -> Program:
    found = lower(spec)
    assert isinstance(found, Program), found
    return found
