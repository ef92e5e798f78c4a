"""Specs to count, and the way from a spec to its costs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from archspec.load import load
from archspec.model.spec import Spec
from compiler.ir.program import Program
from compiler.lower import lower
from compiler.passes.cost import Costs, cost
from compiler.passes.cost_lengths import lengths
from compiler.passes.metrics import totals

SPECS = Path(__file__).parents[2] / "specs"
LLAMA: dict[str, Any] = {
    "name": "llama",
    "dims": {"vocab": 97, "width": 24, "layers": 3, "heads": 4, "groups": 2, "each": 6, "ff": 40},
    "inputs": {"ids": {"tokens": {"max": 64}}},
    "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
    "graph": {
        "tok": {"embed": {"vocab": "vocab", "dim": "width"}, "in": "ids"},
        "h": {
            "stack": {
                "repeat": "layers",
                "layer": {
                    "attn": {
                        "attention": {
                            "heads": "heads",
                            "kv_heads": "groups",
                            "head_dim": "each",
                            "mask": "causal",
                            "rope": {"theta": 10000},
                        }
                    },
                    "mlp": {"mlp": {"hidden": "ff", "act": "silu", "gated": True}},
                },
            }
        },
        "final": {"norm": {"rms": 1e-5}},
        "logits": {"unembed": {"vocab": "vocab"}},
    },
}
"""A small decoder with grouped queries and a head of its own."""


def lowered(spec: Spec) -> Program:
    program = lower(spec)
    assert isinstance(program, Program), program
    return program


def named(name: str, **changes: int) -> Spec:
    """A spec of the project, with dimensions changed."""
    return load(SPECS / f"{name}.yaml", set=changes)


def counted(spec: Spec, **at: int) -> tuple[Costs, Mapping[str, int]]:
    """Costs and totals in bf16 at lengths."""
    program = lowered(spec)
    costs = cost(program)
    return costs, totals(costs, chosen(program, costs, spec, at))


def chosen(program: Program, costs: Costs, spec: Spec, at: Mapping[str, int]) -> dict[str, int]:
    found = lengths(program, costs, spec.inputs, at)
    assert isinstance(found, dict), found
    return found
