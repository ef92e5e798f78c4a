"""An attention as the only node of a graph."""

from typing import Any

from torch import Tensor

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
