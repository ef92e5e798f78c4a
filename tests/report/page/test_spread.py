"""What can be chosen of degrees, and the stages that the page has without its script."""

from compiler.ir.size import value
from compiler.report.costs import CostReport
from compiler.report.numbers import memory
from compiler.report.page.sheet import Sheet
from compiler.report.page.spread import Spread
from compiler.report.parallel.anywhere import anywhere
from compiler.report.parallel.degrees import Degrees
from tests.report.reports import report


def spread(found: CostReport, degrees: Degrees) -> Spread:
    model = anywhere(found.costs)
    assert model is not None
    return Spread(Sheet(found, found.on("h100"), degrees=degrees), model)


def test_what_can_be_chosen() -> None:
    every = ["tp", "dp", "cp", "ep", "pp", "interleave", "microbatches"]
    found = {d.name: d for d in spread(report("decoder/mixtral-8x7b"), Degrees()).degrees}
    assert list(found) == every
    assert found["tp"].fitting == (1, 2, 4, 8)
    assert found["ep"].fitting == (1, 2, 4, 8)
    assert found["pp"].most == 32
    dense = spread(report("decoder/llama3-8b"), Degrees()).degrees
    assert [d.name for d in dense] == [name for name in every if name != "ep"]
    two = spread(report("encoder-decoder/t5-small"), Degrees()).degrees
    assert {"pp", "interleave"}.isdisjoint(d.name for d in two)


def test_stages_with_as_many_layers_share_a_row() -> None:
    found = report("decoder/llama3-8b")
    ranks = found.parallel(pp=5, dp=2)
    rows = spread(found, Degrees(pp=5, dp=2)).rows
    assert [stages for stages, _ in rows] == ["0", "1", "2 to 3", "4"]
    shown = [cells[5] for _, cells in rows]
    states = [stage.numbers["training_states_bytes"] for stage in ranks.stages]
    assert shown == [memory(states[at]) for at in (0, 1, 2, 4)]
    assert states[2] == states[3]


def test_one_device_keeps_what_the_model_does() -> None:
    found = report("decoder/gpt2")
    ((stages, cells),) = spread(found, Degrees()).rows
    assert stages == "0"
    assert cells[5] == memory(found.totals["training_states_bytes"])
    assert cells[6] == memory(found.totals["kv_bytes"])
    assert cells[7] == memory(0)


def test_sequences_stay_whole_where_something_else_mixes_them() -> None:
    """Whisper's filters look along a recording."""
    found = report("encoder-decoder/whisper-tiny")
    ranks = found.parallel(tp=2)
    assert ranks.degrees.sp == 0
    page = spread(found, Degrees(tp=2))
    counted = page.counted("tp")(page.sheet.chosen)
    (stage,) = ranks.stages
    assert value(counted, stage.sizes) == stage.numbers["communication_bytes"]
