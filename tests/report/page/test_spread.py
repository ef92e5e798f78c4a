"""Formulas of ranks on the page hold at degrees that they were not made at."""

import pytest

from compiler.ir.size import value
from compiler.passes.setting import Setting
from compiler.pipeline import cost
from compiler.report.page.sheet import Sheet
from compiler.report.page.spread import COLUMNS, Spread
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.ranks import Ranks, ranks
from tests.report.page.pages import SPECS

CASES = {
    "decoder/llama3-8b": [
        (Degrees(tp=2, pp=4, dp=8, zero=1, microbatches=8), Degrees(pp=4, dp=3, zero=1)),
        (Degrees(zero=3), Degrees(tp=8, dp=5, cp=4, zero=3, microbatches=2)),
        (Degrees(tp=4, zero=2), Degrees(zero=2)),
    ],
    "decoder/mixtral-8x7b": [
        (Degrees(dp=8, ep=4), Degrees(tp=2, dp=4, ep=8, microbatches=3)),
        (Degrees(tp=2, dp=2, ep=2, zero=1), Degrees(zero=1)),
        (Degrees(), Degrees(tp=4, cp=2, dp=3, ep=1)),
    ],
    "encoder/bert-base": [(Degrees(dp=2), Degrees(tp=3, cp=2, dp=1))],
}


@pytest.mark.parametrize("name", CASES)
def test_formulas_hold_at_other_degrees(name: str) -> None:
    report = cost(str(SPECS / f"{name}.yaml"))
    for asked, chosen in CASES[name]:
        spread = Spread(Sheet(report, degrees=asked), asked)
        shown = {
            int(stage): numbers
            for stages, numbers in spread.rows
            for first, _, last in [stages.partition(" to ")]
            for stage in range(int(first), int(last or first) + 1)
        }
        for degrees in (asked, chosen):
            wanted = ranks(report.costs, report.at, degrees, Setting())
            assert isinstance(wanted, Ranks), wanted
            sizes = {**report.sizes, **degrees.sizes}
            counted = spread._counted(Setting()).stages
            for stage in wanted.stages:
                for column in COLUMNS:
                    found = value(counted[stage.index].figures[column], sizes)
                    assert found == stage.numbers[column], (degrees, stage.index, column)
                if degrees is asked:
                    numbers = [stage.numbers[column] for column in COLUMNS]
                    assert [number.value for number in shown[stage.index]] == numbers


def test_what_can_be_chosen() -> None:
    report = cost(str(SPECS / "decoder/mixtral-8x7b.yaml"))
    found = {d.name: d for d in Spread(Sheet(report), Degrees(dp=2)).degrees}
    assert list(found) == ["tp", "dp", "cp", "ep", "microbatches"]
    assert found["tp"].fitting == (1, 2, 4, 8)
    assert found["ep"].fitting == (1, 2, 4, 8)
    dense = cost(str(SPECS / "decoder/llama3-8b.yaml"))
    assert "ep" not in {d.name for d in Spread(Sheet(dense), Degrees(dp=2)).degrees}
