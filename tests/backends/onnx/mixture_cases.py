"""The operators of mixtures of experts, against what is written out token by token."""

from collections.abc import Mapping
from typing import Any

import torch

import compiler.ops as ops
from compiler.ir.operator import Operator
from compiler.ir.size import Size, letter
from compiler.ops.router import Groups
from tests.ops import mixtures
from tests.ops.given import Given

B, T = letter("B"), letter("T")
Numbers = Mapping[str, torch.Tensor]
Written = tuple[Any, Mapping[str, tuple[Size, ...]], Any, Mapping[str, int]]
"""An operator, the shapes of its inputs by port, what it computes, and what integers are below."""


def _written(operator: Operator, below: int = 0, **inputs: tuple[Size, ...]) -> Written:
    ports = [port.name for port in operator.signature.inputs]
    rule = mixtures.RULES[type(operator)]

    def oracle(n: Numbers) -> Any:
        return rule(operator, Given([n.get(port) for port in ports], n))

    return operator, inputs, oracle, dict.fromkeys(("expert", "place"), below)


def _counted(written: Written) -> Written:
    """In ONNX a dispatch says how many rows each expert has, where torch says where they end."""
    operator, inputs, oracle, below = written

    def counts(n: Numbers) -> Any:
        rows, end, place = oracle(n)
        return rows, end.diff(prepend=torch.zeros(1, dtype=end.dtype)), place

    return operator, inputs, counts, below


def _router(E: int, A: int, **fields: Any) -> Written:
    return _written(ops.Router(E, A, **fields), x=(B, T, 6))


CHOICE = {"x": (B, T, 6), "expert": (B, T, 2)}
WRITTEN: dict[str, Written] = {
    "router": _router(5, 2),
    "router_renormalised": _router(5, 3, bias=True, renorm=True),
    "router_sigmoid": _router(5, 2, score="sigmoid", renorm=True, renorm_eps=0.25, scale=2.5),
    "router_chosen_first": _router(5, 2, score=None, after_topk="softmax", bias=True),
    "router_chosen_first_sigmoid": _router(5, 1, score=None, after_topk="sigmoid"),
    "router_corrected": _router(6, 2, score="sigmoid", correction=True),
    "router_of_groups": _router(8, 3, groups=Groups(4, 2)),
    "router_of_pairs": _router(
        8, 3, score="sigmoid", correction=True, groups=Groups(4, 2, pairs=True), renorm=True
    ),
    "dispatch": _counted(_written(ops.Dispatch(4), 4, **CHOICE)),
    "dispatch_weighed": _counted(_written(ops.Dispatch(4), 4, **CHOICE, share=(B, T, 2))),
    "combine": _written(ops.Combine(), 9, rows=(9, 6), share=(B, T, 2), place=(B, T, 2)),
    "combine_plain": _written(ops.Combine(), 9, rows=(9, 6), place=(B, T, 2)),
    "clamped_glu": _written(ops.ClampedGlu("silu", 0.7, 1.702, 1.0), gate=(B, T, 6), up=(B, T, 6)),
    "clamped_glu_gelu": _written(ops.ClampedGlu("gelu", 1.1), gate=(B, T, 6), up=(B, T, 6)),
    "token_gate": _written(ops.TokenGate(), gate=(B, T, 1), x=(B, T, 6)),
}
