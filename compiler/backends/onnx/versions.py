"""Which operator set a graph needs: the oldest that has all its kinds as we use them."""

from collections.abc import Iterable
from typing import Final

OLDEST: Final = 18
"""Axes of ReduceMean are an input from 18 on; everything that is not listed below is older."""

SINCE: Final = {"Gelu": 20, "Attention": 23, "RMSNormalization": 23, "RotaryEmbedding": 23}

IR: Final = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}
"""The file format version that came with each operator set."""


def opset(kinds: Iterable[str]) -> int:
    """The operator set for a graph of these kinds of node."""
    return max((SINCE.get(kind, OLDEST) for kind in kinds), default=OLDEST)


def ir_version(opset: int) -> int:
    """The file format version for an operator set."""
    return IR[opset]
