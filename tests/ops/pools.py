"""Positions as one vector."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.given import Given


def mean(operator: Any, given: Given) -> Tensor:
    """The sum over the places that count by their number."""
    kept: Tensor = given.inputs[0][:, operator.skip :]
    return kept.sum(dim=1) / max(kept.shape[1], 1)


def masked_mean(operator: Any, given: Given) -> Tensor:
    """Row by row the mean of what is real."""
    x, real = given.inputs
    rows = [
        each[operator.skip :][keep[operator.skip :]] for each, keep in zip(x, real, strict=True)
    ]
    return torch.stack([r.mean(dim=0) if len(r) else x.new_zeros(x.shape[-1]) for r in rows])


def last(operator: Any, given: Given) -> Tensor:
    """The last real place of each row, `back` before it; the first of a row without any."""
    x: Tensor = given.inputs[0]
    real: Tensor | None = given.inputs[1]
    if real is None:
        return x[:, x.shape[1] - 1 - operator.back]
    places = [max((t for t, kept in enumerate(row) if kept), default=0) for row in real.tolist()]
    return torch.stack([each[max(0, t - operator.back)] for each, t in zip(x, places, strict=True)])


def last_of_new(operator: Any, given: Given) -> Tensor:
    """The last real one of the newest places of each row; the first of a row without any."""
    x: Tensor = given.inputs[0]
    seen: Tensor | None = given.inputs[1]
    new = [[True] * x.shape[1]] * len(x) if seen is None else seen[:, -x.shape[1] :].tolist()
    places = [max((t for t, kept in enumerate(row) if kept), default=0) for row in new]
    return torch.stack([each[t : t + 1] for each, t in zip(x, places, strict=True)])


def eos(operator: Any, given: Given) -> Tensor:
    """The first real place of the token, or of the largest id; the first place where it is not."""
    x, ids, real = given.inputs
    kept = torch.ones_like(ids, dtype=torch.bool) if real is None else real
    found = []
    for line, there in zip(ids.tolist(), kept.tolist(), strict=True):
        row = [token if seen else None for token, seen in zip(line, there, strict=True)]
        if not any(there):
            found.append(0)
            continue
        largest = max(token for token in row if token is not None)
        token = largest if operator.token is None else operator.token
        found.append(row.index(token) if token in row else 0)
    return torch.stack([each[t] for each, t in zip(x, found, strict=True)])


RULES: Mapping[type, Callable[[Any, Given], Any]] = {
    ops.EosPool: eos,
    ops.IndexPool: lambda o, g: g.inputs[0][:, o.index % g.inputs[0].shape[1]],
    ops.LastPool: last,
    ops.LastPosition: last_of_new,
    ops.MaskedMeanPool: masked_mean,
    ops.MeanPool: mean,
}
