"""Which operator set, file format and runtime a graph needs: the oldest that have all its kinds as
we use them."""

from collections.abc import Iterable, Mapping
from typing import Final

from compiler.ir.target import Provider

OLDEST: Final = 18
"""Axes of ReduceMean are an input from 18 on; everything that is not listed below is older."""

SINCE: Final = {"Gelu": 20, "Attention": 23, "RMSNormalization": 23, "RotaryEmbedding": 23}

IR: Final = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}
"""The file format version that came with each operator set."""

READERS: Final = {18: (1, 16), 19: (1, 16), 20: (1, 17), 21: (1, 18), 22: (1, 21), 23: (1, 23)}
"""The first ONNX Runtime that reads each operator set. This and the next are what its releases say
in their own registries, from 1.16 on; older ones were not asked."""

KERNELS: Final[Mapping[str, tuple[tuple[int, tuple[int, int]], ...]]] = {
    "Gelu": ((1, (1, 18)),),
    "com.microsoft.GatherBlockQuantized": ((4, (1, 20)),),
    "com.microsoft.GroupQueryAttention": (
        (9, (1, 18)),
        (11, (1, 22)),
        (12, (1, 23)),
        (16, (1, 31)),
    ),
    "com.microsoft.MatMulNBits": ((4, (1, 16)), (5, (1, 18)), (6, (1, 19))),
    "com.microsoft.MoE": ((8, (1, 23)),),
    "com.microsoft.MultiHeadAttention": ((8, (1, 16)), (10, (1, 22))),
    "com.microsoft.QMoE": ((11, (1, 23)), (14, (1, 24)), (21, (1, 31))),
}
"""Operators whose kernels for float32 on the CPU came later than their operator set, or with fewer
inputs: so many inputs, from which runtime on. All others that we use were there in 1.16."""


CUDA: Final = (1, 31)
"""The first ONNX Runtime whose kernels for CUDA models are held against. Older ones run some wrong
and say nothing: experts have gpt-oss's slope and limit whatever they are told (onnxruntime #28738),
norms of sums add squares in 16 bits (#29034), captured launches of GatherND, Concat and products of
batches read from the host what lies there no more (#32120, #32121)."""


def opset(kinds: Iterable[str]) -> int:
    """The operator set for a graph of these kinds of node."""
    return max((SINCE.get(kind, OLDEST) for kind in kinds), default=OLDEST)


def ir_version(opset: int) -> int:
    """The file format version for an operator set."""
    return IR[opset]


def runtime(operators: Iterable[tuple[str, int]], provider: Provider) -> str:
    """The first ONNX Runtime that runs a graph of these operators, each with its number of inputs,
    as its releases have it on the CPU; for CUDA the first one that is known to."""
    used = list(operators)
    found = [READERS[opset(kind for kind, _ in used)], *(_first(*each) for each in used)]
    if provider == "cuda":
        found.append(CUDA)
    return ".".join(map(str, max(found)))


def _first(operator: str, inputs: int) -> tuple[int, int]:
    steps = KERNELS.get(operator, ())
    return next((release for most, release in steps if inputs <= most), READERS[OLDEST])
