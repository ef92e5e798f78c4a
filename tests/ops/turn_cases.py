"""Uses of rotary positions and of latent attention, in the letters of `tests.ops.case`."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import torch

from compiler import ops
from compiler.ir.operator import Operator
from compiler.ir.size import Size, letter, value
from compiler.ir.types import TensorType
from compiler.ops.rope_by_length import Dynamic, Longrope
from compiler.ops.rope_scaling import Linear, Llama3, Proportional, Scaling, Yarn
from tests.ops.mixture_cases import of_seven

B, T, S, C, D, H, K, W = map(letter, "BTSCDHKW")
TURNING, RANK, ROW = 2, 10, 12
Make = Callable[..., Any]
Written = tuple[Operator, tuple[TensorType | None, ...], Mapping[str, Make]]


def floats(*shape: Size, optional: bool = False) -> TensorType:
    return TensorType("float", shape, optional)


SEQUENCE, POS = floats(B, T, D), TensorType("int", ())


def drawn(found: TensorType, sizes: Mapping[str, int], draw: torch.Generator) -> torch.Tensor:
    shape = [value(size, sizes) for size in found.shape]
    return torch.randn(shape, generator=draw).double()


def doubled(found: TensorType, sizes: Mapping[str, int], draw: torch.Generator) -> Any:
    """Angles whose two halves are alike."""
    whole = drawn(found, sizes, draw)
    return whole[:, : whole.shape[1] // 2].repeat(1, 2)


def by_twos(found: TensorType, sizes: Mapping[str, int], draw: torch.Generator) -> Any:
    """Angles of which every two neighbours are alike."""
    return drawn(found, sizes, draw)[:, ::2].repeat_interleave(2, dim=1)


def rotate(make: Make = doubled, width: Size = K, **fields: Any) -> Written:
    return ops.Rotate(**fields), (floats(B, H, T, K), floats(T, width)), {"angle": make}


def latent(source: Size = S, seen: TensorType | None = None, **fields: Any) -> Written:
    operator = ops.LatentAttention(RANK, W, TURNING, W, 6**-0.5, **fields)
    kv = None if source is T else floats(B, C, ROW, optional=True)
    return operator, (floats(B, H, T, K), floats(B, source, ROW), seen, kv), {}


def placed(*fields: Any) -> Written:
    return ops.PlacedAngles(K, *fields), (TensorType("int", (B, T)),), {"place": of_seven}


SCALINGS: Final[Mapping[str, Scaling]] = {
    "linear": Linear(4.0),
    "proportional": Proportional(2, 3.0),
    "llama3": Llama3(8.0, 32, 1.0, 4.0),
    "yarn": Yarn(4.0, 64, 8.0, 1.0, True),
    "yarn untruncated": Yarn(4.0, 64, 8.0, 1.0, False),
    "dynamic": Dynamic(4.0, 4),
    "dynamic short": Dynamic(4.0, 99),
    "longrope": Longrope(4, (1.0, 1.1, 1.3), (2.0, 3.0, 5.0)),
    "longrope short": Longrope(99, (1.0, 1.1, 1.3), (2.0, 3.0, 5.0)),
}
WRITTEN: Final[dict[str, Written]] = {
    "RopeAngles": (ops.RopeAngles(K), (SEQUENCE, None), {}),
    "RopeAngles adjacent": (ops.RopeAngles(W, 100.0, "adjacent"), (SEQUENCE, POS), {}),
    **{
        f"RopeAngles {name}": (ops.RopeAngles(K, 50.0, "halves", found), (SEQUENCE, POS), {})
        for name, found in SCALINGS.items()
    },
    "PlacedAngles": placed(),
    "PlacedAngles adjacent": placed(50.0, "adjacent"),
    **{
        f"PlacedAngles {name}": placed(50.0, "adjacent", found) for name, found in SCALINGS.items()
    },
    "Rotate": rotate(),
    "Rotate adjacent": rotate(by_twos, pairs="adjacent"),
    "Rotate partial": rotate(width=W, partial=True),
    "Rotate partial adjacent": rotate(by_twos, W, pairs="adjacent", partial=True),
    "Rotate last": rotate(width=W, partial=True, last=True),
    "Rotate longer": rotate(gain=1.2),
    "Rotate adjacent partial longer": rotate(by_twos, W, pairs="adjacent", partial=True, gain=0.7),
    "LatentAttention": latent(),
    "LatentAttention seen": latent(seen=TensorType("bool", (T, S)), causal=True),
    "LatentAttention causal": latent(T, causal=True),
    "LatentAttention dropout": latent(
        seen=TensorType("bool", (B, 1, T, S)), causal=True, dropout=0.1
    ),
    "RowCacheUpdate": (
        ops.RowCacheUpdate(S), (floats(B, T, ROW), floats(B, C, ROW, optional=True), POS), {}
    ),
}  # fmt: skip
"""As in `tests.ops.mixture_cases`: operator, inputs, and what makes some of them."""
