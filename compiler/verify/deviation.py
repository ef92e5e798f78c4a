"""How far outputs are off altogether: relative to their size, and in direction."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from archspec.source.frozen import Frozen

if TYPE_CHECKING:
    from torch import Tensor


class Deviation(Frozen):
    """How far outputs are off: relative to their size, and the mean cosine of their vectors."""

    relative: float
    cosine: float


def deviation_of(pairs: "Sequence[tuple[Tensor, Tensor]]") -> Deviation:
    """How far the first tensors of pairs are from the second ones."""
    import torch

    lost = sum(float((a.double() - b.double()).square().sum()) for a, b in pairs)
    whole = sum(float(b.double().square().sum()) for _, b in pairs)
    cosines = [
        torch.cosine_similarity(a.double(), b.double(), dim=-1).flatten()
        for a, b in pairs
        if a.dim()
    ]
    cosine = float(torch.cat(cosines).mean()) if cosines else 1.0
    relative = (lost / whole) ** 0.5 if whole else float(lost > 0)
    return Deviation(relative if relative == relative else float("inf"), cosine)
