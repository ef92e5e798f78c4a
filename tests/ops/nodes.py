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


def softcap(operator: Any, given: "Given") -> Tensor:
    """Written with exponentials."""
    up = torch.exp(2 * given.inputs[0] / operator.cap)
    y: Tensor = operator.cap * (up - 1) / (up + 1)
    return y


RULES: Mapping[type, Callable[[Any, Any], Any]] = {
    ops.DropPath: lambda o, g: g.inputs[0],
    ops.Softcap: softcap,
    ops.Insert: insert,
    ops.ResizedPositions: resized,
}
