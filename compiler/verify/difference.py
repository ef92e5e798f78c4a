"""How far two results are apart."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def apart(left: "Sequence[Tensor]", right: "Sequence[Tensor]") -> float:
    """The largest absolute difference; infinite where shapes differ or something is no number."""
    if len(left) != len(right):
        return float("inf")
    return max((_apart(a, b) for a, b in zip(left, right, strict=True)), default=0.0)


def _apart(left: "Tensor", right: "Tensor") -> float:
    if left.shape != right.shape:
        return float("inf")
    if not left.numel():
        return 0.0
    found = float((left.double() - right.double()).abs().max())
    return found if found == found else float("inf")
