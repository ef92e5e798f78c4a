"""Uses of the operators of mixtures of experts, in the letters of `tests.ops.case`."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from compiler import ops
from compiler.ir.operator import Operator
from compiler.ir.size import Size, letter, value
from compiler.ir.types import TensorType
from compiler.ops.router import Groups, Training

B, T, D, M, E, A = map(letter, "BTDMEA")
SEQUENCE, CHOICE, SHARE = (
    TensorType("float", (B, T, D)),
    TensorType("int", (B, T, A)),
    TensorType("float", (B, T, A)),
)
ROWS = TensorType("float", (7, D))
Written = tuple[Operator, tuple[TensorType | None, ...], Mapping[str, Callable[..., Any]]]


def of_seven(found: TensorType, sizes: Mapping[str, int], draw: torch.Generator) -> Any:
    """Numbers of seven rows."""
    return torch.randint(7, [value(size, sizes) for size in found.shape], generator=draw)


def router(experts: Size = E, active: Size = A, **fields: Any) -> Written:
    return ops.Router(experts, active, **fields), (SEQUENCE,), {}


def glu(*fields: Any) -> Written:
    return ops.ClampedGlu(*fields), (SEQUENCE, SEQUENCE), {}


WRITTEN: dict[str, Written] = {
    "ClampedGlu": glu("silu", 0.7, 1.702, 1.0),
    "ClampedGlu gelu": glu("gelu", 1.1),
    "ClampedGlu offset": glu("relu", None, None, 0.5),
    "Combine": (ops.Combine(), (ROWS, SHARE, CHOICE), {"place": of_seven}),
    "Combine plain": (ops.Combine(), (ROWS, None, CHOICE), {"place": of_seven}),
    "Dispatch": (ops.Dispatch(E), (SEQUENCE, CHOICE, None), {}),
    "Dispatch weighed": (ops.Dispatch(E), (SEQUENCE, CHOICE, SHARE), {}),
    "Router": router(),
    "Router renormalised": router(bias=True, renorm=True),
    "Router sigmoid": router(score="sigmoid", renorm=True, renorm_eps=0.25, scale=2.5),
    "Router chosen first": router(score=None, after_topk="softmax"),
    "Router chosen first sigmoid": router(score=None, after_topk="sigmoid", renorm=True),
    "Router corrected": router(score="sigmoid", correction=True),
    "Router of groups": router(M, groups=Groups(5, 2)),
    "Router of pairs": router(
        M, 3, score="sigmoid", correction=True, bias=True, groups=Groups(5, 2, pairs=True)
    ),
    "Router in training": router(training=Training(0.01, 0.001, 0.1, 1.25)),
    "TokenGate": (ops.TokenGate(), (TensorType("float", (B, T, 1)), SEQUENCE), {}),
}
