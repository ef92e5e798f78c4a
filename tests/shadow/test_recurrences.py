"""Memory of recurrences, held against torch's own composition of them, to the byte."""

from typing import Any

import pytest

from archspec import load
from compiler.passes.setting import Precision, Setting
from tests.shadow.samples import Sample
from tests.shipped import ROOT

SMALL = ["dims.src_vocab=50", "dims.tgt_vocab=60", "dims.d_emb=8"]
HISTORY = {
    "01-seq2seq-gru": [],
    "01-seq2seq": [*SMALL, "dims.d_h=12"],
    **{
        f"02-bahdanau-{how}": [*SMALL, "dims.d_h=12", "dims.d_att=10"]
        for how in ("final", "projected", "zeros")
    },
    **{f"03-luong-{score}": [*SMALL, "dims.d_h=8"] for score in ("dot", "general", "scaled")},
    "14-primitives-recurrence": [],
}
"""Chapters of the history, small: rows are packed by numbers, so torch runs them as they are."""
SIZES = [(2, 7, 9), (1, 5, 4), (2, 2, 2)]


@pytest.mark.parametrize(
    ("name", "precision"), [*((name, "fp32") for name in HISTORY), ("03-luong-dot", "bf16")]
)
def test_chapters(name: str, precision: Precision) -> None:
    spec = load(ROOT / "specs/history" / f"{name}.yaml", set=HISTORY[name])
    for sizes in SIZES:
        sample = Sample(spec, *sizes)
        assert sample.counted(Setting(precision)) == sample.measured(Setting(precision))


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_cells(cell: str, layers: int, ways: int) -> None:
    found: dict[str, Any] = {"cell": cell, "dim": 6, "layers": layers, "bidirectional": ways == 2}
    spec = load(
        {
            "name": "cells",
            "inputs": {"ids": "tokens"},
            "graph": {
                "tok": {"embed": {"vocab": 20, "dim": 5}, "in": "ids"},
                "y": {"rnn": found},
            },
        }
    )
    for batch in (1, 3):
        sample = Sample(spec, batch, 9, 9)
        assert sample.counted(Setting("fp32")) == sample.measured(Setting("fp32"))
