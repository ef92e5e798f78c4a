"""Recurrences written out gate by gate and row by row, from their equations alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from compiler.verify.compiled import Compiled
from compiler.verify.module import build
from compiler.verify.parity import onnx_session
from tests.parity.ours import Ours

Weights = Mapping[str, Tensor]
Held = tuple[Tensor, ...]
"""A state, and a cell where there is one: [D] each."""


def below(state: Weights, prefix: str) -> dict[str, Tensor]:
    """The weights whose names begin with `prefix`, without it."""
    return {n.removeprefix(f"{prefix}."): v for n, v in state.items() if n.startswith(f"{prefix}.")}


def step(kind: str, x: Tensor, held: Held, w: Weights, suffix: str = "") -> Held:
    """One step of one row: what the papers write, with both biases."""
    read = w[f"weight_ih{suffix}"] @ x + w[f"bias_ih{suffix}"]
    kept = w[f"weight_hh{suffix}"] @ held[0] + w[f"bias_hh{suffix}"]
    D = held[0].shape[0]
    a, b = (part.view(-1, D) for part in (read, kept))
    if kind == "rnn":
        return (torch.tanh(a[0] + b[0]),)
    if kind == "gru":
        reset, update = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
        new = torch.tanh(a[2] + reset * b[2])
        return (update * held[0] + (1 - update) * new,)
    enter, forget, out = (torch.sigmoid(a[i] + b[i]) for i in (0, 1, 3))
    cell = forget * held[1] + enter * torch.tanh(a[2] + b[2])
    return out * torch.tanh(cell), cell


def zeros(kind: str, width: int) -> Held:
    """The first state where none is given."""
    return tuple(torch.zeros(width) for _ in range(2 if kind == "lstm" else 1))


def run(
    kind: str, rows: Tensor, w: Weights, layers: int, ways: int, first: Sequence[Held] | None = None
) -> tuple[Tensor, list[Held]]:
    """One row [T, D] through all layers: the top's states [T, ways·D], and the last state of each
    layer and way."""
    last: list[Held] = []
    for layer in range(layers):
        columns: list[Tensor] = []
        for way in range(ways):
            suffix = f"_l{layer}" + ("_reverse" if way else "")
            held = zeros(kind, w[f"weight_hh{suffix}"].shape[1])
            if first is not None:
                held = first[layer * ways + way]
            made: list[Tensor] = []
            for x in rows.flip(0) if way else rows:
                held = step(kind, x, held, w, suffix)
                made.append(held[0])
            last.append(held)
            columns.append(torch.stack(made[::-1] if way else made))
        rows = torch.cat(columns, dim=-1)
    return rows, last


def ours(made: Compiled, folder: Path) -> Ours:
    """A compiled spec with drawn weights, as a module and in ONNX Runtime."""
    model = build(made.generated)
    return Ours(made, model, onnx_session(made.files, model, folder))


def sources(made: Compiled, batch: int, source: int, target: int) -> dict[str, Tensor]:
    """Ids of a source with padded rows, and of a target."""
    draw = torch.Generator().manual_seed(source)
    rows = {n: int(made.spec.graph[n].component.vocab) for n in ("src", "tgt")}  # type: ignore[union-attr]
    mask = torch.ones(batch, source, dtype=torch.bool)
    for row in range(1, batch):
        mask[row, max(1, source - 3 * row) :] = False
    return {
        "src_ids": torch.randint(rows["src"], (batch, source), generator=draw),
        "src_ids_mask": mask,
        "tgt_ids": torch.randint(rows["tgt"], (batch, target), generator=draw),
    }
