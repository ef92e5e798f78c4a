"""Norms, and gains alone."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given


def layer_norm(operator: Any, given: Given) -> Tensor:
    """Ba et al. 2016, eq. 4."""
    x: Tensor = given.inputs[0]
    centred = x - x.mean(dim=-1, keepdim=True)
    y = centred / torch.sqrt((centred**2).mean(dim=-1, keepdim=True) + operator.eps)
    gain = given.weights.get("weight", 1) + (1 if operator.unit_offset else 0)
    return y * gain + given.weights.get("bias", 0)


def rms_norm(operator: Any, given: Given) -> Tensor:
    """Zhang & Sennrich 2019, eq. 4."""
    x: Tensor = given.inputs[0]
    y = x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + operator.eps)
    return y * (given.weights.get("weight", 1) + (1 if operator.unit_offset else 0))


def l2_norm(operator: Any, given: Given) -> Tensor:
    """Vectors divided by their length."""
    x: Tensor = given.inputs[0]
    return x / torch.sqrt((x**2).sum(dim=-1, keepdim=True)).clamp(min=operator.eps)


RULES: Mapping[type, Callable[[Any, Given], Any]] = {
    ops.L2Norm: l2_norm,
    ops.LayerNorm: layer_norm,
    ops.LayerScale: lambda o, g: g.inputs[0] * g.weights["weight"],
    ops.RmsNorm: rms_norm,
}
