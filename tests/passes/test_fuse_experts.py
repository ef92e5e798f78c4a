"""Experts fused: gate and up joined, each expert's tensors stacked, and both undone by name."""

from typing import Any

import pytest

from archspec.load import load
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ir.text import program_text
from compiler.lower import lower
from compiler.passes.fold import fold
from compiler.passes.fuse import fuse, fusions
from compiler.passes.shapes import shapes


def mixture(**expert: Any) -> Program:
    """Two layers of a mixture of three experts, one of them for a token, over vectors of 8."""
    made = lower(
        load(
            {
                "name": "m",
                "inputs": {"x": {"features": ["T", 8]}},
                "defaults": {"norm_at": "none"},
                "graph": {
                    "h": {
                        "stack": {
                            "repeat": 2,
                            "layer": {
                                "moe": {
                                    "moe": {
                                        "experts": 3,
                                        "top_k": 1,
                                        "expert": {"hidden": 16, "act": "silu", **expert},
                                    }
                                }
                            },
                        },
                        "in": "x",
                    }
                },
            }
        )
    )
    assert isinstance(made, Program), made
    return made


def held(program: Program) -> dict[str, tuple[int, ...]]:
    """Every parameter with its shape."""
    return {
        name: tuple(value(size, program.key.sizes) for size in found.shape)
        for name, found in program.parameters().items()
    }


def test_parameters_are_canonical_before() -> None:
    names = held(mixture(gated=True, bias=True))
    own = {
        "gate.weight": (16, 8), "gate.bias": (16,), "up.weight": (16, 8), "up.bias": (16,),
        "down.weight": (8, 16), "down.bias": (8,),
    }  # fmt: skip
    assert names == {
        f"h.{layer}.moe.{name}": shape
        for layer in range(2)
        for name, shape in {
            "router.weight": (3, 8),
            **{f"experts.{j}.{name}": shape for j in range(3) for name, shape in own.items()},
        }.items()
    }


def test_parameters_are_stacked_after() -> None:
    names = held(fuse(mixture(gated=True, bias=True)))
    assert names == {
        f"h.{layer}.moe.{name}": shape
        for layer in range(2)
        for name, shape in {
            "router.weight": (3, 8),
            "experts.gate_up.weight": (3, 32, 8),
            "experts.gate_up.bias": (3, 32),
            "experts.down.weight": (3, 8, 16),
            "experts.down.bias": (3, 8),
        }.items()
    }


@pytest.mark.parametrize(
    ("gated", "wide"), [(True, ("gate_up", ("gate", "up"))), (False, ("up", ("up",)))]
)
def test_fusions_say_how_they_go_apart(gated: bool, wide: tuple[str, tuple[str, ...]]) -> None:
    found = fusions(fuse(mixture(gated=gated)))
    for layer in range(2):
        experts = f"h.{layer}.moe.experts"
        parts = tuple(f"{experts}.{{j}}.{part}" for part in wide[1])
        assert found.pop(f"{experts}.{wide[0]}") == parts
        assert found.pop(f"{experts}.down") == (f"{experts}.{{j}}.down",)
    assert not found


def test_the_same_elements_before_and_after() -> None:
    plain = mixture(gated=True, bias=True)
    counts = [
        sum(value(p.count, program.key.sizes) for p in program.parameters().values())
        for program in (plain, fuse(plain), fuse(fold(plain)))
    ]
    assert len(set(counts)) == 1


def test_the_text_of_the_fused_experts() -> None:
    text = program_text(shapes(fuse(fold(mixture(gated=True)))))
    body = text.partition("graph h.layer.moe.experts(")[2].partition("\n\n")[0]
    assert "gate_up: float[A*B*T 2*M]" in body
    assert "stacked=True parts=((gate, M), (up, M))(dispatch.0, dispatch.1)" in body
    assert "down: float[A*B*T D] = GroupedLinear E=E O=D A=A stacked=True(mix, dispatch.1)" in body


def test_what_is_fused_is_fused_once() -> None:
    once = fuse(mixture(gated=True))
    assert program_text(fuse(once)) == program_text(once)
