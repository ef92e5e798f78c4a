"""What the operators of single nodes of a graph compute, from their definitions."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given


def insert(operator: Any, given: Given) -> Tensor:
    """Learned rows behind the first ones of each sequence."""
    rows, at = given.weights["weight"], operator.after
    return torch.stack([torch.cat((each[:at], rows, each[at:])) for each in given.inputs[0]])


def resized(operator: Any, given: Given) -> Tensor:
    """Rows of the prefix as they are, those of the grid as an image of D channels."""
    table = given.weights["weight"]
    kept, cells = table[: operator.prefix], table[operator.prefix :]
    image = cells.view(*operator.trained, -1).permute(2, 0, 1)[None]
    image = torch.nn.functional.interpolate(
        image, operator.grid, mode="bicubic", align_corners=False, antialias=operator.antialias
    )
    return torch.cat((kept, image[0].permute(1, 2, 0).flatten(0, 1)))


def contrast(operator: Any, given: Given) -> Tensor:
    """Pair by pair the product of two vectors by the product of their lengths."""
    factor = 1 / operator.fixed if operator.fixed else given.weights["temperature"].exp()
    rows = [
        [factor * x.dot(y) / (x.dot(x) * y.dot(y)).sqrt() for y in given.inputs[1]]
        for x in given.inputs[0]
    ]
    return torch.stack([torch.stack(row) for row in rows]) + given.weights.get("bias", 0)


def frame_conv(operator: Any, given: Given) -> Tensor:
    """Place by place the products of the filters with what is under them."""
    weight = given.weights["weight"]
    x = torch.nn.functional.pad(given.inputs[0], (operator.before, operator.after))
    reach = (weight.shape[2] - 1) * operator.dilation + 1
    found = []
    for start in range(0, x.shape[2] - reach + 1, operator.stride):
        window = x[:, :, start : start + reach : operator.dilation]
        groups = zip(window.chunk(operator.groups, 1), weight.chunk(operator.groups), strict=True)
        found.append(torch.cat([torch.einsum("bcq,ocq->bo", w, f) for w, f in groups], dim=1))
    y = torch.stack(found, dim=2)
    return y + given.weights["bias"][:, None] if "bias" in given.weights else y


def softcap(operator: Any, given: Given) -> Tensor:
    """Written with exponentials."""
    up = torch.exp(2 * given.inputs[0] / operator.cap)
    y: Tensor = operator.cap * (up - 1) / (up + 1)
    return y


RULES: Mapping[type, Callable[[Any, Any], Any]] = {
    ops.DropPath: lambda o, g: g.inputs[0],
    ops.Probe: lambda o, g: torch.stack([g.weights["weight"] for _ in g.inputs[0]]),
    ops.Contrast: contrast,
    ops.AllReal: lambda o, g: g.inputs[0].isfinite().all(dim=2),
    ops.FrameConv: frame_conv,
    ops.Join: lambda o, g: torch.stack(
        [torch.cat(rows) for rows in zip(g.inputs[0], g.inputs[1], strict=True)]
    ),
    ops.JoinMasks: lambda o, g: torch.stack(
        [torch.cat(rows) for rows in zip(g.inputs[0], g.inputs[1], strict=True)]
    ),
    ops.StridedMask: lambda o, g: torch.stack(
        [g.inputs[0][:, t] for t in range(o.first, g.inputs[0].shape[1], o.stride)], dim=1
    ),
    ops.Swap: lambda o, g: torch.stack([each.T for each in g.inputs[0]]),
    ops.Softcap: softcap,
    ops.Insert: insert,
    ops.ResizedPositions: resized,
}
