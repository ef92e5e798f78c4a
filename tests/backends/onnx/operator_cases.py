"""Every operator with small inputs and what torch or NumPy says it computes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.nn import functional

import compiler.ops as ops
from compiler.ir.operator import Operator
from compiler.ir.size import Size, letter
from tests.backends.onnx import mixture_cases, node_cases, recurrence_cases, sight_cases

B, T, S = letter("B"), letter("T"), letter("S")
Numbers = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Case:
    """An operator, its inputs' shapes by port (a missing one is left out), and what it computes."""

    operator: Operator
    inputs: Mapping[str, tuple[Size, ...]]
    oracle: Callable[[Numbers], torch.Tensor | tuple[torch.Tensor, ...]]
    below: Mapping[str, int] = field(default_factory=dict)
    """For an input of integers, what they are below."""


def shape(*sizes: Size) -> tuple[Size, ...]:
    return sizes


def _activation(kind: Any, oracle: Callable[[torch.Tensor], torch.Tensor]) -> Case:
    return Case(ops.Activation(kind), {"x": shape(B, T, 6)}, lambda n: oracle(n["x"]))


def _pool(operator: Operator, oracle: Callable[[Numbers], torch.Tensor], *more: str) -> Case:
    inputs = {"x": shape(B, T, 6)} | {name: shape(B, T) for name in more}
    return Case(operator, inputs, oracle, {"ids": 9})


def _masked_mean(n: Numbers, skip: int) -> torch.Tensor:
    rows = []
    for x, real in zip(n["x"][:, skip:], n["real"][:, skip:], strict=True):
        rows.append(x[real].mean(0) if real.any() else torch.zeros(6))
    return torch.stack(rows)


def _last_real(n: Numbers) -> torch.Tensor:
    last = [max([t for t, real in enumerate(row) if real], default=0) for row in n["real"]]
    return torch.stack([x[t] for x, t in zip(n["x"], last, strict=True)])


def _eos(n: Numbers) -> torch.Tensor:
    rows = n["ids"].tolist()
    places = [row.index(3) if 3 in row else 0 for row in rows]
    return torch.stack([x[t] for x, t in zip(n["x"], places, strict=True)])


def _rms(n: Numbers, offset: float) -> torch.Tensor:
    x = n["x"].double()
    return (x / (x.square().mean(-1, keepdim=True) + 1e-3).sqrt() * (offset + n["weight"])).float()


def _waves(length: int, halves: bool, shortened: bool) -> torch.Tensor:
    table = np.zeros((length, 8))
    for place in range(length):
        for pair in range(4):
            angle = place / 100.0 ** (pair / (3 if shortened else 4))
            at = (pair, pair + 4) if halves else (2 * pair, 2 * pair + 1)
            table[place, at[0]], table[place, at[1]] = np.sin(angle), np.cos(angle)
    return torch.tensor(table, dtype=torch.float32)


CASES: dict[str, Case] = {
    **{name: Case(*written) for name, written in sight_cases.WRITTEN.items()},
    "gelu": _activation("gelu", functional.gelu),
    "gelu_tanh": _activation("gelu_tanh", lambda x: functional.gelu(x, approximate="tanh")),
    "quick_gelu": _activation("quick_gelu", lambda x: x / (1 + (-1.702 * x).exp())),
    "relu": _activation("relu", lambda x: x.clamp(min=0)),
    "relu2": _activation("relu2", lambda x: x.clamp(min=0) ** 2),
    "silu": _activation("silu", functional.silu),
    "tanh": _activation("tanh", torch.tanh),
    "sigmoid": _activation("sigmoid", torch.sigmoid),
    "add": Case(ops.Add(), {"x": shape(B, T, 6), "y": shape(B, T, 6)}, lambda n: n["x"] + n["y"]),
    "add_rows": Case(
        ops.AddRows(), {"x": shape(B, T, 6), "rows": shape(T, 6)}, lambda n: n["x"] + n["rows"]
    ),
    "multiply": Case(
        ops.Multiply(), {"x": shape(B, T, 6), "y": shape(B, T, 6)}, lambda n: n["x"] * n["y"]
    ),
    "clip": Case(ops.Clip(0.6), {"x": shape(B, T, 6)}, lambda n: n["x"].clamp(-0.6, 0.6)),
    "score_sum": Case(ops.ScoreSum(4, 3), {}, lambda n: n["weight"]),
    "sink": Case(ops.Sink(4), {}, lambda n: n["weight"]),
    "scale": Case(ops.Scale(0.3), {"x": shape(B, T, 6)}, lambda n: 0.3 * n["x"]),
    "dropout": Case(ops.Dropout(0.5), {"x": shape(B, T, 6)}, lambda n: n["x"]),
    "concat": Case(
        ops.Concat(),
        {"x": shape(B, T, 6), "y": shape(B, T, 2)},
        lambda n: torch.cat((n["x"], n["y"]), dim=2),
    ),
    "split": Case(
        ops.Split((2, 3, 1)),
        {"x": shape(B, T, 6)},
        lambda n: (n["x"][..., :2], n["x"][..., 2:5], n["x"][..., 5:]),
    ),
    "linear": Case(
        ops.Linear(5),
        {"x": shape(B, T, 6)},
        lambda n: torch.einsum("btd,od->bto", n["x"], n["weight"]),
    ),
    "linear_bias": Case(
        ops.Linear(5, bias=True),
        {"x": shape(B, 6)},
        lambda n: torch.einsum("bd,od->bo", n["x"], n["weight"]) + n["bias"],
    ),
    "embedding": Case(
        ops.Embedding(11, 6), {"ids": shape(B, T)}, lambda n: n["weight"][n["ids"]], {"ids": 11}
    ),
    "shared_embedding": Case(
        ops.SharedEmbedding(),
        {"ids": shape(B, T), "weight": shape(11, 6)},
        lambda n: n["weight"][n["ids"]],
        {"ids": 11},
    ),
    "shared_linear": Case(
        ops.SharedLinear(),
        {"x": shape(B, T, 6), "weight": shape(11, 6)},
        lambda n: n["x"] @ n["weight"].T,
    ),
    "shared_linear_bias": Case(
        ops.SharedLinear(bias=True),
        {"x": shape(B, 6), "weight": shape(11, 6)},
        lambda n: n["x"] @ n["weight"].T + n["bias"],
    ),
    "types": Case(
        ops.TypeEmbedding(3, 6),
        {"ids": shape(B, T), "types": shape(B, T)},
        lambda n: n["weight"][n["types"]],
        {"ids": 9, "types": 3},
    ),
    "learned_positions": Case(
        ops.LearnedPositions(9, 6, offset=2),
        {"x": shape(B, T, 6)},
        lambda n: n["weight"][2 : 2 + n["x"].shape[1]],
    ),
    "all_positions": Case(
        ops.LearnedPositions(5, 6, whole=True), {"x": shape(B, 5, 6)}, lambda n: n["weight"]
    ),
    "sinusoid": Case(
        ops.Sinusoid(8, 100.0),
        {"x": shape(B, T, 8)},
        lambda n: _waves(n["x"].shape[1], False, False),
    ),
    "sinusoid_halves": Case(
        ops.Sinusoid(8, 100.0, "halves", shortened=True),
        {"x": shape(B, T, 8)},
        lambda n: _waves(n["x"].shape[1], True, True),
    ),
    "sinusoid_fixed": Case(
        ops.Sinusoid(8, 100.0), {"x": shape(B, 7, 8)}, lambda n: _waves(7, False, False)
    ),
    "layer_norm": Case(
        ops.LayerNorm(1e-3),
        {"x": shape(B, T, 6)},
        lambda n: (
            functional.layer_norm(n["x"].double(), (6,), eps=1e-3).float() * n["weight"] + n["bias"]
        ),
    ),
    "layer_norm_plain": Case(
        ops.LayerNorm(1e-3, weight=False, bias=False),
        {"x": shape(B, T, 6)},
        lambda n: functional.layer_norm(n["x"].double(), (6,), eps=1e-3).float(),
    ),
    "rms_norm": Case(ops.RmsNorm(1e-3), {"x": shape(B, T, 6)}, lambda n: _rms(n, 0.0)),
    "rms_norm_offset": Case(
        ops.RmsNorm(1e-3, unit_offset=True), {"x": shape(B, T, 6)}, lambda n: _rms(n, 1.0)
    ),
    "rms_norm_plain": Case(
        ops.RmsNorm(1e-3, weight=False),
        {"x": shape(B, T, 6)},
        lambda n: _rms({**n, "weight": torch.ones(6)}, 0.0),
    ),
    "l2_norm": Case(
        ops.L2Norm(1e-3),
        {"x": shape(B, T, 6)},
        lambda n: n["x"] / n["x"].square().sum(-1, keepdim=True).sqrt().clamp(min=1e-3),
    ),
    "layer_scale": Case(ops.LayerScale(0.1), {"x": shape(B, T, 6)}, lambda n: n["x"] * n["weight"]),
    "patch_conv": Case(
        ops.Conv2d(5, 3, 2, 3, 4, 2, stride=(2, 3), bias=True),
        {"x": shape(B, 3, 8, 6)},
        lambda n: functional.conv2d(n["x"], n["weight"], n["bias"], stride=(2, 3)),
    ),
    "conv": Case(
        ops.Conv2d(8, 2, 3, 3, 4, 4, (2, 1), (1, 2), (1, 3), groups=2),
        {"x": shape(B, 4, 8, 6)},
        lambda n: functional.conv2d(
            n["x"], n["weight"], None, stride=(2, 1), padding=(1, 2), dilation=(1, 3), groups=2
        ),
    ),
    "causal_conv": Case(
        ops.Conv1d(6, 2, 3, before=4, after=0, dilation=2, groups=2, bias=True),
        {"x": shape(B, T, 4)},
        lambda n: (
            functional.conv1d(
                functional.pad(n["x"].mT, (4, 0)), n["weight"], n["bias"], dilation=2, groups=2
            ).mT
        ),
    ),
    "flatten": Case(
        ops.FlattenGrid(8), {"x": shape(B, 5, 4, 2)}, lambda n: n["x"].flatten(2).transpose(1, 2)
    ),
    "prepend": Case(
        ops.Prepend(2, 10),
        {"x": shape(B, 8, 6)},
        lambda n: torch.stack([torch.cat((n["weight"], x)) for x in n["x"]]),
    ),
    "key_mask": Case(
        ops.KeyMask(),
        {"real": shape(B, S), "x": shape(B, T, 6)},
        lambda n: n["real"][:, None, None].expand(-1, 1, n["x"].shape[1], -1),
    ),
    "causal_mask": Case(
        ops.CausalMask(T, padded=True),
        {"x": shape(B, T, 6), "real": shape(B, T)},
        lambda n: (
            torch.ones(n["x"].shape[1], n["x"].shape[1]).tril().bool() & n["real"][:, None, None]
        ),
    ),
    "first": _pool(ops.IndexPool(0), lambda n: n["x"][:, 0]),
    "mean": _pool(ops.MeanPool(), lambda n: n["x"].sum(1) / n["x"].shape[1]),
    "masked_mean": _pool(ops.MaskedMeanPool(), lambda n: _masked_mean(n, 0), "real"),
    "masked_mean_skip": _pool(ops.MaskedMeanPool(1), lambda n: _masked_mean(n, 1), "real"),
    "last": _pool(ops.LastPool(), lambda n: n["x"][:, -1]),
    "last_real": _pool(ops.LastPool(), _last_real, "real"),
    "last_position": Case(ops.LastPosition(), {"x": shape(B, T, 6)}, lambda n: n["x"][:, -1:]),
    "last_position_real": Case(
        ops.LastPosition(),
        {"x": shape(B, T, 6), "real": shape(B, T)},
        lambda n: _last_real(n)[:, None],
    ),
    "eos": _pool(ops.EosPool(3), _eos, "ids"),
    "eos_largest": _pool(
        ops.EosPool(), lambda n: n["x"][torch.arange(len(n["x"])), n["ids"].argmax(1)], "ids"
    ),
    **{name: Case(*written) for name, written in recurrence_cases.WRITTEN.items()},
    **{name: Case(*written) for name, written in node_cases.WRITTEN.items()},
    **{name: Case(*written) for name, written in mixture_cases.WRITTEN.items()},
}
