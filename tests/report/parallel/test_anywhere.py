"""Formulas for any stage hold on every stage of every pipeline, as its ranks are counted."""

import pytest

from compiler.ir.size import value
from compiler.passes.setting import Setting
from compiler.report.page.figures import Chosen
from compiler.report.page.sheet import Sheet
from compiler.report.page.spread import COLUMNS, Spread
from compiler.report.parallel.anywhere import anywhere
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.ranks import Ranks, ranks
from tests.passes.samples import named
from tests.report.parallel.spread import counted

CASES = {
    "decoder/llama3-8b": [
        Degrees(tp=2, pp=4, dp=8, zero=1, microbatches=8),
        Degrees(tp=8, pp=5, dp=5, cp=4, zero=3, microbatches=10, interleave=3),
        Degrees(tp=4, zero=2, sp=0),
    ],
    "decoder/deepseek-v3": [
        Degrees(pp=8, dp=8, ep=8, interleave=2, microbatches=16, zero=3),
        Degrees(tp=8, pp=2, dp=3, ep=4, cp=2),
    ],
    "decoder/gpt2": [Degrees(), Degrees(tp=2, sp=0, pp=5, dp=3, cp=2, zero=2)],
    "decoder/gemma2-2b": [Degrees(tp=4, pp=7, dp=2, zero=1, microbatches=7, interleave=2)],
    "decoder/gemma3-1b": [Degrees(), Degrees(pp=4, dp=2, zero=3, microbatches=8, interleave=3)],
    "decoder/mixtral-8x7b": [Degrees(dp=8, ep=4), Degrees(tp=2, dp=4, ep=8, microbatches=3)],
    "encoder/albert-base-v2": [Degrees(tp=2, pp=3, dp=3, zero=1)],
    "encoder/modernbert-base": [Degrees(tp=3, cp=2), Degrees(dp=2, pp=5)],
    "encoder/bert-base": [Degrees(tp=3, cp=2), Degrees(dp=2, pp=12)],
    "encoder-decoder/t5-small": [Degrees(), Degrees(tp=2, dp=3, zero=1)],
}
"""Tables that two stages read, layers of two kinds and by turns, rounds of layers that are alike
but for one and what is left of a round, layers that share their weights, stages that do not come
out even, two stacks."""
SETTINGS = (Setting(), Setting("fp32", "eager", "full", "muon"))


@pytest.mark.parametrize("name", CASES)
def test_formulas_hold_on_every_stage(name: str) -> None:
    report = counted(named(name))
    model = anywhere(report.costs)
    assert model is not None
    for degrees in CASES[name]:
        spread = Spread(Sheet(report, report.on("h100"), degrees=degrees), model)
        for setting in SETTINGS:
            wanted = ranks(report.costs, report.at, degrees, setting)
            assert isinstance(wanted, Ranks), wanted
            chosen = Chosen(**vars(setting), zero=str(degrees.zero), sp=str(degrees.sp))
            for stage, letters in zip(wanted.stages, model.sizes(degrees), strict=True):
                sizes = {**report.sizes, **letters}
                for column, (_, parts) in COLUMNS.items():
                    found = sum(value(spread.counted(part)(chosen), sizes) for part in parts)
                    assert found == stage.numbers[column], (degrees, stage.index, column)


def test_layers_of_one_kind_have_one_letter() -> None:
    costs = counted(named("decoder/gemma2-2b")).costs
    model = anywhere(costs)
    assert model is not None
    assert [*model.kinds.values()] == [(range(0, 25, 2),), (range(1, 26, 2),)]
    assert sum(sizes["a"] + sizes["b"] for sizes in model.sizes(Degrees(pp=5))) == model.layers
