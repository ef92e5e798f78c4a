"""What the operators of rotary positions compute, pair by pair."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given
from tests.ops.published_rates import published_rates


def rotate(operator: Any, given: Given) -> Tensor:
    """Pairs of coordinates as complex numbers, multiplied with unit numbers of the angles."""
    x, angle = given.inputs
    R = angle.shape[-1]
    if operator.last:
        rest, x = x[..., :-R], x[..., -R:]
        inner = replace(given, inputs=[x, angle])
        return torch.cat((rest, rotate(replace(operator, last=False), inner)), dim=-1)
    turned, rest = x[..., :R], x[..., R:]
    if operator.pairs == "halves":
        number = torch.complex(turned[..., : R // 2], turned[..., R // 2 :])
        each = angle[..., : R // 2]
    else:
        number = torch.complex(turned[..., 0::2], turned[..., 1::2])
        each = angle[..., 0::2]
    number = number * torch.polar(torch.full_like(each, operator.gain or 1), each)
    if operator.pairs == "halves":
        return torch.cat((number.real, number.imag, rest), dim=-1)
    back = torch.stack((number.real, number.imag), dim=-1).flatten(-2)
    return torch.cat((back, rest), dim=-1)


def angles(operator: Any, given: Given) -> Tensor:
    """t·theta^(-2i/K) for both coordinates of pair i, where the pair's coordinates stand."""
    x, pos = given.inputs
    rows = []
    places = range(pos or 0, (pos or 0) + x.shape[-2])
    made = rates(operator, given.number(operator.K), max(places) + 1)
    for t in places:
        each = [t * rate for rate in made]
        rows.append(each + each if operator.pairs == "halves" else [a for a in each for _ in "ab"])
    return torch.tensor(rows, dtype=torch.float64).to(x.dtype)


def placed_angles(operator: Any, given: Given) -> Tensor:
    """t·theta^(-2i/K) for both coordinates of pair i, at given places."""
    (place,) = given.inputs
    K = given.number(operator.K)
    made = rates(operator, K, int(place.max()) + 1)
    rows = []
    for t in place.flatten().tolist():
        each = [t * rate for rate in made]
        rows.append(each + each if operator.pairs == "halves" else [a for a in each for _ in "ab"])
    return torch.tensor(rows, dtype=torch.float64).view(place.shape[0], 1, place.shape[1], K)


def rates(operator: Any, width: int, length: int) -> list[float]:
    """theta^(-2i/K), or what transformers makes of it."""
    if operator.scaling is None:
        return [operator.theta ** (-2 * i / width) for i in range(width // 2)]
    return published_rates(operator.scaling, operator.theta, width, length)


RULES: Mapping[type, Callable[[Any, Any], Any]] = {
    ops.PlacedAngles: placed_angles,
    ops.RopeAngles: angles,
    ops.Rotate: rotate,
}
