"""Convolutions, place by place."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given


def conv2d(operator: Any, given: Given) -> Tensor:
    """For each place the products of the filters with the pixels under them."""
    (rows, columns), (down, right) = operator.pad, operator.stride
    x = torch.nn.functional.pad(given.inputs[0], (columns, columns, rows, rows))
    Q, F = given.weights["weight"].shape[2:]
    high, wide = ((n - 1) * d + 1 for n, d in zip((Q, F), operator.dilation, strict=True))
    places = [
        [
            filtered(operator, x[:, :, i : i + high, j : j + wide], given)
            for j in range(0, x.shape[3] - wide + 1, right)
        ]
        for i in range(0, x.shape[2] - high + 1, down)
    ]
    return torch.stack([torch.stack(row, dim=-1) for row in places], dim=-2)


def conv1d(operator: Any, given: Given) -> Tensor:
    """As over an image of one row."""
    x = torch.nn.functional.pad(given.inputs[0].mT, (operator.before, operator.after))
    wide = (given.weights["weight"].shape[2] - 1) * operator.dilation + 1
    places = range(x.shape[2] - wide + 1)
    return torch.stack([filtered(operator, x[:, :, i : i + wide], given) for i in places], dim=1)


def filtered(operator: Any, window: Tensor, given: Given) -> Tensor:
    """[B, C, ...] under the filters [D, C / groups, ...] to [B, D], group by group."""
    weight = given.weights["weight"]
    dilation = operator.dilation if weight.ndim == 4 else (operator.dilation,)
    for axis, step in enumerate(dilation, 2):
        window = window.index_select(axis, torch.arange(0, window.shape[axis], step))
    found = [
        torch.einsum("bc,dc->bd", cells.flatten(1).double(), filters.flatten(1).double())
        for cells, filters in zip(
            window.chunk(operator.groups, dim=1), weight.chunk(operator.groups), strict=True
        )
    ]
    y = torch.cat(found, dim=1).to(window.dtype)
    return y + given.weights["bias"] if "bias" in given.weights else y


RULES: Mapping[type, Callable[[Any, Given], Any]] = {
    ops.Conv1d: conv1d,
    ops.Conv2d: conv2d,
}
