"""Ranks in words and as a document."""

from typing import Any

from compiler.cli.documents import schema_of
from compiler.ir.size import value
from compiler.report.numbers import memory
from compiler.report.parallel.ranks import FIGURES
from compiler.report.parallel.said import assumptions, folded
from compiler.report.parallel.schema import parallel_schema
from tests.report.parallel.spread import gpt2, llama, mixtral

SPREAD: dict[str, Any] = {
    "tp": 2,
    "pp": 4,
    "dp": 4,
    "zero": 1,
    "ep": 8,
    "cp": 2,
    "microbatches": 8,
}


def test_equal_stages_are_one_line() -> None:
    """They are where each has one microbatch under way."""
    several = mixtral().parallel(**SPREAD)
    assert [name for name, _ in folded(several.stages)] == ["0", "1", "2", "3"]
    ranks = mixtral().parallel(**{**SPREAD, "microbatches": 1})
    assert [name for name, _ in folded(ranks.stages)] == ["0", "1..2", "3"]
    lines = ranks.text().splitlines()
    assert lines[0] == "across 64 devices: tp=2,pp=4,dp=4,zero=1,ep=8,cp=2"
    assert any(line.startswith("bubble") and " 3, " in line for line in lines)
    assert sum(line.startswith("1..2 ") for line in lines) == 1
    assert "gathered" not in ranks.text()
    assert "gathered" in gpt2().parallel(dp=2, zero=3).text()


def test_long_tables_have_a_line_for_stages_that_only_save_otherwise() -> None:
    """What they save goes down from stage to stage; the other numbers are the same."""
    ranks = llama(layers=16).parallel(pp=16, microbatches=16)
    inner = ranks.stages[1:-1]
    assert len({stage.numbers["saved_bytes"] for stage in ranks.stages}) == 16
    lines = [line.split() for line in ranks.text().splitlines()]
    (found,) = (line for line in lines if line[:1] == ["1..14"])
    ends = "..".join(memory(inner[at].numbers["saved_bytes"]) for at in (0, -1))
    assert ends in " ".join(found).replace(" ", "\u202f")
    assert [line[0] for line in lines if line[1:2] == ["1"]] == ["0", "1..14", "15"]
    few = llama(layers=16).parallel(pp=8, microbatches=8).text().splitlines()
    assert not any(".." in line for line in few)


def test_markdown_says_what_each_degree_is_and_what_is_left_out() -> None:
    found = mixtral().parallel(**SPREAD).markdown()
    assert "\n* `ep=8`: ranks that share the experts\n" in found
    assert "comes and goes within a pass" in found
    assert "interleave" not in found


def test_sentences_are_true_of_the_degrees() -> None:
    few, many = (
        assumptions(llama().parallel(**given)) for given in ({"dp": 2}, {"tp": 2, "dp": 2})
    )
    assert set(few) < set(many)
    assert any(
        "a step has 16 in all" in each
        for each in assumptions(gpt2().parallel(dp=4, microbatches=2))
    )


def test_a_terminal_says_whose_batch_is_meant() -> None:
    """B is what one replica takes at once; its tensors are what `saved` counts."""
    lines = gpt2().parallel(dp=4, microbatches=2).text().splitlines()
    (said,) = (line.split() for line in lines if line.startswith("a step"))
    words = "a step 16 sequences, B = 2 in each microbatch of each replica"
    assert said == words.split()


def test_layers_that_do_not_come_out_even_are_told() -> None:
    uneven = gpt2(n_layers=6).parallel(pp=4)
    assert [stage.layers for stage in uneven.stages] == [2, 2, 1, 1]
    assert any("one more than the last" in each for each in assumptions(uneven))
    even = gpt2(n_layers=4).parallel(pp=4)
    assert not any("one more than the last" in each for each in assumptions(even))


def test_the_schema_that_ships_describes_it() -> None:
    """Documents are held against it where the command is tested."""
    assert schema_of("cost")["$defs"]["spread"] == parallel_schema()
    document = mixtral().parallel(**SPREAD).document()
    assert set(document) == set(parallel_schema()["properties"])
    assert set(FIGURES) < set(document["stages"][0])
    assert document["devices"] == 64


def test_formulas_give_the_numbers() -> None:
    """With the model's letters and those of the degrees put in."""
    report = mixtral()
    ranks = report.parallel(**SPREAD)
    for stage in ranks.stages:
        letters = {**report.sizes, **ranks.degrees.sizes}
        assert {n: value(f, letters) for n, f in stage.figures.items()} == stage.numbers
