"""What the operators of masks and of given places compute, place by place."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given


def seen_mask(operator: Any, given: Given) -> Tensor:
    """True where everything that is asked for holds, pair by pair."""
    x, pos, real, segments, asking, place, edge, *counts = given.inputs
    B, T = x.shape[:2]
    first = pos or 0
    by_row = any(found is not None for found in (real, segments, place, edge, *counts))
    marks = next((m for m in (real, segments, place, edge) if m is not None), None)
    S = first + T if marks is None else marks.shape[-1]
    rows = []
    for b in range(B if by_row else 1):
        row = torch.ones(T, S, dtype=torch.bool)
        for t in range(T):
            q = S - T + t
            for s in range(S):
                document = None if segments is None else int(segments[b, s])
                own = segments if asking is None else asking
                chunks = None if operator.chunk is None else [
                    (int(place[b, i]) if place is not None else i) // operator.chunk for i in (q, s)
                ]  # fmt: skip
                close = (
                    (not operator.causal or s <= q)
                    and (operator.window is None or near(operator, q, s))
                    and (chunks is None or chunks[0] == chunks[1])
                )
                row[t, s] = (
                    (close or any(s < int(count[b]) for count in counts))
                    and (
                        segments is None or int(own[b, t if asking is not None else q]) == document
                    )
                    and (real is None or bool(real[b, s]))
                    and (edge is None or bool(edge[b, t, s]))
                )
        rows.append(row)
    return torch.stack(rows)[:, None] if by_row else rows[0]


def near(operator: Any, q: int, s: int) -> bool:
    """Within a window: of the latest positions, or to each side."""
    far = q - s if operator.causal else abs(q - s) - 1
    return bool(far < operator.window)


def restart(operator: Any, given: Given) -> Tensor:
    """Counts from the first of each run of equal numbers."""
    found = []
    for row in given.inputs[0].tolist():
        places: list[int] = []
        for i, mark in enumerate(row):
            places.append(places[-1] + 1 if i and mark == row[i - 1] else 0)
        found.append(places)
    return torch.tensor(found)


def placed_sinusoid(operator: Any, given: Given) -> Tensor:
    """Vaswani et al. 2017, section 3.5, at given places."""
    x, place = given.inputs
    D = given.number(operator.D)
    span = D // 2 - 1 if operator.shortened else D // 2
    rows = []
    for t in place.flatten().tolist():
        each = [t / operator.base ** (i / span) for i in range(D // 2)]
        sines, cosines = [math.sin(a) for a in each], [math.cos(a) for a in each]
        pairs = [v for pair in zip(sines, cosines, strict=True) for v in pair]
        rows.append(sines + cosines if operator.layout == "halves" else pairs)
    return torch.tensor(rows, dtype=torch.float64).view(*place.shape, D).to(x.dtype)


def placed_positions(operator: Any, given: Given) -> Tensor:
    """The row of each place after the offset."""
    (place,) = given.inputs
    rows = [given.weights["weight"][operator.offset + t] for t in place.flatten().tolist()]
    return torch.stack(rows).view(*place.shape, -1)


def beside(operator: Any, given: Given) -> Tensor:
    """The same rows after the columns of every sequence."""
    x, rows = given.inputs
    return torch.stack([torch.cat((each, rows), dim=1) for each in x])


def counted(operator: Any, given: Given) -> Tensor:
    """How many real positions stand before each real one."""
    padding = -1 if operator.before else 0
    rows = [
        [sum(row[:t]) if real else padding for t, real in enumerate(row)]
        for row in given.inputs[0].tolist()
    ]
    return torch.tensor(rows)


def zero_padding(operator: Any, given: Given) -> Tensor:
    """Zeros where a position is not real."""
    y: Tensor = given.inputs[0].clone()
    y[~given.inputs[1]] = 0
    return y


RULES: Mapping[type, Callable[[Any, Any], Any]] = {
    ops.CountedPlaces: counted,
    ops.ConcatRows: beside,
    ops.Newest: lambda o, g: g.inputs[0][:, g.inputs[0].shape[1] - g.inputs[1].shape[1] :],
    ops.NewestReal: lambda o, g: g.inputs[0][:, g.inputs[0].shape[1] - g.inputs[1].shape[1] :],
    ops.PlacedPositions: placed_positions,
    ops.PlacedSinusoid: placed_sinusoid,
    ops.RealIds: lambda o, g: torch.tensor(
        [[i != o.pad for i in row] for row in g.inputs[0].tolist()]
    ),
    ops.Restart: restart,
    ops.PrefixMask: seen_mask,
    ops.SeenMask: seen_mask,
    ops.ZeroPadding: zero_padding,
}
