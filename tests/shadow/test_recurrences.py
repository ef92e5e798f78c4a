"""Memory of recurrences, held against torch's own composition of them, to the byte."""

from typing import Any

import pytest
import torch

from archspec import load
from archspec.model.spec import Spec
from compiler.backends.torch import torch_code
from compiler.passes.setting import Precision, Setting
from tests.shadow.samples import Sample
from tests.shadow.steps import allocated
from tests.shadow.storages import inputs
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
CELLS = ["rnn", "gru", "lstm"]


@pytest.mark.parametrize(
    ("name", "precision"), [*((name, "fp32") for name in HISTORY), ("03-luong-dot", "bf16")]
)
def test_chapters(name: str, precision: Precision) -> None:
    spec = load(ROOT / "specs/history" / f"{name}.yaml", set=HISTORY[name])
    for sizes in SIZES:
        sample = Sample(spec, *sizes)
        assert sample.counted(Setting(precision)) == sample.measured(Setting(precision))


def cells(cell: str, layers: int = 1, ways: int = 1) -> Spec:
    found: dict[str, Any] = {"cell": cell, "dim": 6, "layers": layers, "bidirectional": ways == 2}
    return load(
        {
            "name": "cells",
            "inputs": {"ids": "tokens"},
            "graph": {
                "tok": {"embed": {"vocab": 20, "dim": 5}, "in": "ids"},
                "y": {"rnn": found},
            },
        }
    )


@pytest.mark.parametrize("ways", [1, 2])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("cell", CELLS)
def test_cells(cell: str, layers: int, ways: int) -> None:
    spec, setting = cells(cell, layers, ways), Setting("fp32")
    for batch in (1, 3):
        sample = Sample(spec, batch, 9, 9)
        assert sample.counted(setting) == sample.measured(setting)
        assert sample.counted_step(setting) == sample.measured_step(setting)


@pytest.mark.parametrize(
    ("name", "precision"),
    [*((name, "fp32") for name in HISTORY), ("01-seq2seq", "bf16"), ("03-luong-dot", "bf16")],
)
def test_chapters_learn(name: str, precision: Precision) -> None:
    """Rows are packed, sources looked at, inputs fed back; steps are three at least."""
    spec = load(ROOT / "specs/history" / f"{name}.yaml", set=HISTORY[name])
    for sizes in SIZES[:2]:
        sample, setting = Sample(spec, *sizes), Setting(precision)
        assert sample.counted_step(setting) == sample.measured_step(setting)


@pytest.mark.parametrize("cell", CELLS)
def test_layers_of_cells(cell: str) -> None:
    """Loops over steps in a loop over layers."""
    mix = {"mix": {"rnn": {"cell": cell, "dim": 8}}, "mlp": {"mlp": {"hidden": 16, "act": "relu"}}}
    graph = {
        "tok": {"embed": {"vocab": 30, "dim": 8}, "in": "ids"},
        "h": {"stack": {"repeat": 5, "layer": mix}},
        "y": {"linear": {"dim": 30}},
    }
    spec = load({"name": "deep", "inputs": {"ids": "tokens"}, "graph": graph})
    for batch, length in ((1, 6), (3, 4)):
        sample, setting = Sample(spec, batch, length, length), Setting("fp32")
        assert sample.counted_step(setting) == sample.measured_step(setting)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_the_allocator_sees_the_same(cell: str) -> None:
    """Nobody watches, and no library runs these cells: gradients add up in place. Of plain ones the
    fullest moment is in a product, which has a copy of its own then."""
    sample = Sample(cells(cell), 3, 9, 9)
    given = inputs(torch_code(sample.fused).inputs, sample.sizes, torch.float32)
    counted = sample.counted_step(Setting("fp32"), in_place=True)
    with torch.backends.mkldnn.flags(enabled=False):
        assert counted == allocated(sample.module, given, classes=False)
