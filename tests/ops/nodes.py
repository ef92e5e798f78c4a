"""What the operators of single nodes of a graph compute, from their definitions."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from compiler import ops

if TYPE_CHECKING:
    from tests.ops.reference import Given


def insert(operator: Any, given: "Given") -> Tensor:
    """Learned rows behind the first ones of each sequence."""
    rows, at = given.weights["weight"], operator.after
    return torch.stack([torch.cat((each[:at], rows, each[at:])) for each in given.inputs[0]])


def resized(operator: Any, given: "Given") -> Tensor:
    """Rows of the prefix as they are, those of the grid as an image of D channels."""
    table = given.weights["weight"]
    kept, cells = table[: operator.prefix], table[operator.prefix :]
    image = cells.view(*operator.trained, -1).permute(2, 0, 1)[None]
    image = torch.nn.functional.interpolate(
        image, operator.grid, mode="bicubic", align_corners=False, antialias=operator.antialias
    )
    return torch.cat((kept, image[0].permute(1, 2, 0).flatten(0, 1)))


def contrast(operator: Any, given: "Given") -> Tensor:
    """Pair by pair the product of two vectors by the product of their lengths."""
    factor = 1 / operator.fixed if operator.fixed else given.weights["temperature"].exp()
    rows = [
        [factor * x.dot(y) / (x.dot(x) * y.dot(y)).sqrt() for y in given.inputs[1]]
        for x in given.inputs[0]
    ]
    return torch.stack([torch.stack(row) for row in rows]) + given.weights.get("bias", 0)


def softcap(operator: Any, given: "Given") -> Tensor:
    """Written with exponentials."""
    up = torch.exp(2 * given.inputs[0] / operator.cap)
    y: Tensor = operator.cap * (up - 1) / (up + 1)
    return y


RULES: Mapping[type, Callable[[Any, Any], Any]] = {
    ops.DropPath: lambda o, g: g.inputs[0],
    ops.Probe: lambda o, g: torch.stack([g.weights["weight"] for _ in g.inputs[0]]),
    ops.Contrast: contrast,
    ops.Softcap: softcap,
    ops.Insert: insert,
    ops.ResizedPositions: resized,
}
