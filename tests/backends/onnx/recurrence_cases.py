"""The operators of recurrences and of their attention, against what is written out row by row."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

import compiler.ops as ops
from compiler.ir.size import Size, letter
from tests.history.recurrences import Held, run, step

B, T, S = letter("B"), letter("T"), letter("S")
Numbers = Mapping[str, torch.Tensor]
Written = tuple[Any, Mapping[str, tuple[Size, ...]], Any]
"""An operator, the shapes of its inputs by port, and what it computes."""


def _held(n: Numbers, names: Sequence[str], row: int) -> list[Held] | None:
    """The first states of one row, layer by layer and way by way."""
    if names[0] not in n:
        return None
    return list(zip(*(n[name][:, row] for name in names), strict=True))


def _whole(kind: str, layers: int, ways: int, names: Sequence[str]) -> Any:
    def oracle(n: Numbers) -> tuple[torch.Tensor, ...]:
        rows, lasts = [], []
        for row, x in enumerate(n["x"]):
            length = max(1, int(n["real"][row].sum())) if "real" in n else len(x)
            y, last = run(kind, x[:length], n, layers, ways, _held(n, names, row))
            rows.append(torch.cat((y, torch.zeros(len(x) - length, y.shape[1]))))
            lasts.append([torch.stack(each) for each in zip(*last, strict=True)])
        ends = [torch.stack(each, dim=1) for each in zip(*lasts, strict=True)]
        return torch.stack(rows), *ends

    return oracle


def _one(kind: str, names: Sequence[str]) -> Any:
    def oracle(n: Numbers) -> Any:
        rows = [
            step(kind, x, tuple(n[name][row] for name in names), n) for row, x in enumerate(n["x"])
        ]
        ends = tuple(torch.stack(each) for each in zip(*rows, strict=True))
        return ends if len(ends) > 1 else ends[0]

    return oracle


def _stacked(kind: str, layers: int, names: Sequence[str]) -> Any:
    whole = _whole(kind, layers, 1, names)

    def oracle(n: Numbers) -> Any:
        _, *ends = whole({**n, "x": n["x"][:, None]})
        return tuple(ends) if len(ends) > 1 else ends[0]

    return oracle


def _weights(n: Numbers) -> torch.Tensor:
    seen = n.get("seen", torch.ones_like(n["scores"], dtype=torch.bool))
    rows = []
    for scores, real in zip(n["scores"], seen, strict=True):
        row = torch.zeros_like(scores)
        row[real] = scores[real].softmax(dim=0)
        rows.append(row)
    return torch.stack(rows)


def _additive(n: Numbers) -> torch.Tensor:
    both = [[torch.tanh(q + k) for k in keys] for q, keys in zip(n["q"], n["k"], strict=True)]
    return torch.stack([torch.stack([n["weight"][0] @ each for each in row]) for row in both])


X, REAL = (B, T, 6), (B, T)
WRITTEN: dict[str, Written] = {
    "gru": (ops.Recurrence(5, 5, 1, "gru"), {"x": X}, _whole("gru", 1, 1, "h")),
    "gru_deep_both_ways": (
        ops.Recurrence(5, 10, 4, "gru", 2, 2),
        {"x": X, "h": (4, B, 5)},
        _whole("gru", 2, 2, "h"),
    ),
    "rnn_of_real_rows": (
        ops.Recurrence(5, 10, 2, "rnn", 1, 2), {"x": X, "real": REAL}, _whole("rnn", 1, 2, "h")
    ),
    "lstm": (ops.LstmRecurrence(5, 5, 1), {"x": X}, _whole("lstm", 1, 1, "hc")),
    "lstm_deep_of_real_rows": (
        ops.LstmRecurrence(5, 10, 4, 2, 2),
        {"x": X, "h": (4, B, 5), "c": (4, B, 5), "real": REAL},
        _whole("lstm", 2, 2, "hc"),
    ),
    "gru_cell": (ops.Cell(5, 3, "gru"), {"x": (B, 6), "h": (B, 5)}, _one("gru", "h")),
    "rnn_cell": (ops.Cell(5, 1, "rnn"), {"x": (B, 6), "h": (B, 5)}, _one("rnn", "h")),
    "lstm_cell": (
        ops.LstmCell(5), {"x": (B, 6), "h": (B, 5), "c": (B, 5)}, _one("lstm", "hc")
    ),
    "stacked_gru_cell": (
        ops.StackedCell(5, 3, "gru", 3), {"x": (B, 6), "h": (3, B, 5)}, _stacked("gru", 3, "h")
    ),
    "stacked_lstm_cell": (
        ops.StackedLstmCell(5, 2, 2),
        {"x": (B, 6), "h": (2, B, 5), "c": (2, B, 5)},
        _stacked("lstm", 2, "hc"),
    ),
    "additive_scores": (ops.AdditiveScores(), {"q": (B, 6), "k": (B, S, 6)}, _additive),
    "dot_scores": (
        ops.DotScores(),
        {"q": (B, 6), "k": (B, S, 6)},
        lambda n: torch.einsum("bd,bsd->bs", n["q"], n["k"]),
    ),
    "scaled_dot_scores": (
        ops.DotScores(scaled=True),
        {"q": (B, 6), "k": (B, S, 6)},
        lambda n: torch.einsum("bd,bsd->bs", n["q"], n["k"]) / 6**0.5,
    ),
    "source_weights": (ops.SourceWeights(), {"scores": (B, S)}, _weights),
    "source_weights_of_real": (
        ops.SourceWeights(), {"scores": (B, S), "seen": (B, S)}, _weights
    ),
    "mixture": (
        ops.Mixture(),
        {"weights": (B, S), "v": (B, S, 6)},
        lambda n: torch.einsum("bs,bsm->bm", n["weights"], n["v"]),
    ),
    "zero_state": (
        ops.ZeroState(5), {"x": X}, lambda n: torch.zeros(len(n["x"]), 5)
    ),
    "zero_states": (
        ops.ZeroStates(3, 5), {"x": X}, lambda n: torch.zeros(3, len(n["x"]), 5)
    ),
    "layer_state": (ops.LayerState(5, 1), {"h": (3, B, 5)}, lambda n: n["h"][1]),
    "layer_state_backward": (ops.LayerState(5, 1, "bwd"), {"h": (4, B, 5)}, lambda n: n["h"][3]),
    "layer_state_both": (
        ops.LayerState(10, 1, "both"),
        {"h": (4, B, 5)},
        lambda n: torch.cat((n["h"][2], n["h"][3]), dim=1),
    ),
    "layer_states_forward": (
        ops.LayerStates(2, 5, "fwd"), {"h": (4, B, 5)}, lambda n: n["h"][[0, 2]]
    ),
    "layer_states_backward": (
        ops.LayerStates(2, 5, "bwd"), {"h": (4, B, 5)}, lambda n: n["h"][[1, 3]]
    ),
    "layer_states_both": (
        ops.LayerStates(2, 10, "both"),
        {"h": (4, B, 5)},
        lambda n: torch.cat((n["h"][[0, 2]], n["h"][[1, 3]]), dim=2),
    ),
    "beside_each": (
        ops.BesideEach(),
        {"x": X, "c": (B, 4)},
        lambda n: torch.stack(
            [torch.cat((n["x"][:, t], n["c"]), dim=1) for t in range(n["x"].shape[1])], dim=1
        ),
    ),
}  # fmt: skip
