"""An attention as the only node of a graph."""

from typing import Any

import torch
from torch import Tensor, nn

from tests.backends.torch.live import Live, live
from tests.lower.specs import over

D = 16


def alone(padded: bool = False, **options: Any) -> Live:
    """An attention `y` of four heads over features `x`."""
    inputs = {"x": {"features": {"shape": ["T", D], "padded": padded}}}
    return live(over(D, {"y": {"attention": {"heads": 4, **options}}}) | {"inputs": inputs})


def heads(x: Tensor, count: int) -> Tensor:
    """[B, T, H·K] to [B, H, T, K]."""
    return x.view(*x.shape[:2], count, -1).transpose(1, 2)


def projected(found: Live, x: Tensor, counts: dict[str, int]) -> list[Tensor]:
    """`x` mapped by the projections that `counts` names, in so many heads each."""
    return [heads(x @ found.weights[f"y.{n}.weight"].T, count) for n, count in counts.items()]


def torchs(found: Live, heads: int = 4) -> nn.MultiheadAttention:
    """torch's module with the same weights."""
    made = nn.MultiheadAttention(D, heads, batch_first=True).double()
    weights = found.weights
    joined = [torch.cat([weights[f"y.{n}.{k}"] for n in "qkv"]) for k in ("weight", "bias")]
    made.load_state_dict(
        {
            "in_proj_weight": joined[0],
            "in_proj_bias": joined[1],
            "out_proj.weight": weights["y.o.weight"],
            "out_proj.bias": weights["y.o.bias"],
        }
    )
    return made
