"""What the operators of mixtures of experts compute, token by token and expert by expert."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from compiler import ops
from tests.ops.activations import ACTIVATIONS
from tests.ops.given import Given


def router(operator: Any, given: Given) -> tuple[Tensor, Tensor]:
    """Token by token the experts with the highest scores, highest first, and their shares."""
    (x,) = given.inputs
    shares, experts = [], []
    for token in x.flatten(0, -2).double():
        logits = given.weights["weight"].double() @ token
        if "bias" in given.weights:
            logits = logits + given.weights["bias"]
        share, chosen = routed(operator, given, logits.tolist())
        shares.append(share)
        experts.append(chosen)
    shape = (*x.shape[:-1], given.number(operator.A))
    return torch.tensor(shares).view(shape), torch.tensor(experts).view(shape)


def routed(operator: Any, given: Given, logits: list[float]) -> tuple[list[float], list[int]]:
    """The shares and the experts of one token."""
    A = given.number(operator.A)
    scores = _scored(operator.score, logits)
    correction = given.weights.get("correction", torch.zeros(len(scores))).tolist()
    ranks = {e: score + correction[e] for e, score in enumerate(scores)}
    if operator.groups is not None:
        size = len(scores) // operator.groups.count
        counted = 2 if operator.groups.pairs else 1
        best = {
            g: sum(sorted(ranks[e] for e in range(g * size, g * size + size))[-counted:])
            for g in range(operator.groups.count)
        }
        kept = sorted(best, key=lambda g: -best[g])[: operator.groups.kept]
        ranks = {e: rank for e, rank in ranks.items() if e // size in kept}
    chosen = sorted(ranks, key=lambda e: -ranks[e])[:A]
    shares = _scored(operator.after_topk, [scores[e] for e in chosen])
    if operator.renorm:
        whole = sum(shares) + operator.renorm_eps
        shares = [share / whole for share in shares]
    return [share * (operator.scale or 1) for share in shares], chosen


def _scored(score: str | None, logits: list[float]) -> list[float]:
    if score == "sigmoid":
        return [1 / (1 + math.exp(-each)) for each in logits]
    if score == "softmax":
        return [math.exp(each) / sum(map(math.exp, logits)) for each in logits]
    return logits


def dispatch(operator: Any, given: Given) -> tuple[Tensor, Tensor, Tensor]:
    """A row for every choice of a token, expert by expert, times its share if there is one."""
    x, expert, share = given.inputs
    A, E = expert.shape[-1], given.number(operator.E)
    tokens, chosen = x.flatten(0, -2), expert.flatten().tolist()
    shares = [1.0] * len(chosen) if share is None else share.flatten().tolist()
    order = [n for e in range(E) for n, found in enumerate(chosen) if found == e]
    ends = [sum(found <= e for found in chosen) for e in range(E)]
    places = [order.index(n) for n in range(len(chosen))]
    rows = torch.stack([tokens[n // A] * shares[n] for n in order])
    return rows, torch.tensor(ends), torch.tensor(places).view(expert.shape)


def grouped_linear(operator: Any, given: Given) -> Tensor:
    """Row by row the map of its group; weights are those of each group, or all in one."""
    rows, end = given.inputs
    found = []
    for n, row in enumerate(rows):
        group = next(e for e, last in enumerate(end.tolist()) if n < last)
        weight = given.weights[f"{group}.weight"]
        found.append(weight @ row + given.weights.get(f"{group}.bias", 0))
    return torch.stack(found)


def combine(operator: Any, given: Given) -> Tensor:
    """Token by token the rows of its choices, weighed if there are shares, and added."""
    rows, share, place = given.inputs
    shares = torch.ones(place.shape) if share is None else share
    tokens = zip(shares.flatten(0, -2), place.flatten(0, -2).tolist(), strict=True)
    y = [sum(s * rows[p] for s, p in zip(each, places, strict=True)) for each, places in tokens]
    return torch.stack(y).view(*place.shape[:-1], -1).to(rows.dtype)


def clamped_glu(operator: Any, given: Given) -> Tensor:
    """Number by number: the limits, then the activation of the gate times the other map."""
    gate, up = given.inputs
    limit = math.inf if operator.clamp is None else operator.clamp
    found = []
    for g, u in zip(gate.flatten(), up.flatten(), strict=True):
        cut, held = min(g, torch.tensor(limit)), max(-limit, min(limit, u))
        if operator.alpha is None:
            activated = ACTIVATIONS[operator.act](cut)
        else:
            activated = cut / (1 + math.exp(-operator.alpha * cut))
        found.append(activated * (held + operator.offset))
    return torch.stack(found).view(gate.shape).to(gate.dtype)


def token_gate(operator: Any, given: Given) -> Tensor:
    """Token by token, by the sigmoid of its number."""
    gate, x = given.inputs
    tokens = zip(gate.flatten().tolist(), x.flatten(0, -2), strict=True)
    return torch.stack([row / (1 + math.exp(-g)) for g, row in tokens]).view(x.shape)


RULES: Mapping[type, Callable[[Any, Any], Any]] = {
    ops.ClampedGlu: clamped_glu,
    ops.Combine: combine,
    ops.Dispatch: dispatch,
    ops.GroupedLinear: grouped_linear,
    ops.Router: router,
    ops.TokenGate: token_gate,
}
