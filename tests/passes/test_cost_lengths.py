"""Lengths: defaults from the spec, those asked for, and what makes no sense."""

import pytest

from archspec.load import load
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, exit_status
from compiler.passes.cost import cost
from compiler.passes.cost_lengths import lengths, letters_said
from tests.passes.samples import LLAMA, lowered, named


def ask(spec: Spec, **at: int) -> dict[str, int] | tuple[Diagnostic, ...]:
    program = lowered(spec)
    return lengths(program, cost(program), spec.inputs, at)


def problem(spec: Spec, **at: int) -> Diagnostic:
    found = ask(spec, **at)
    assert isinstance(found, tuple)
    assert exit_status(found) == 2
    (only,) = found
    return only


def test_one_sequence_of_the_context_length() -> None:
    assert ask(named("decoder/gpt2")) == {"B": 1, "T": 1024, "S": 1024}
    assert ask(named("decoder/llama3-8b")) == {"B": 1, "T": 8192, "S": 8192}
    assert ask(named("encoder/bert-base")) == {"B": 1, "T": 512}
    assert ask(named("vision/vit-b16-cls")) == {"B": 1}


def test_two_sequences_have_a_length_each() -> None:
    spec = named("encoder-decoder/transformer-base")
    program = lowered(spec)
    costs = cost(program)
    assert ask(spec) == {"B": 1, "T": 512, "S": 512, costs.seen: 512}
    found = ask(spec, T=7, S=9)
    assert found == {"B": 1, "T": 7, "S": 9, costs.seen: 7}


@pytest.mark.parametrize("letter", ["T", "S"])
def test_a_length_given_alone_is_that_of_the_whole_sequence(letter: str) -> None:
    assert ask(load(LLAMA), **{letter: 9}) == {"B": 1, "T": 9, "S": 9}


def test_a_decoding_step_has_one_new_position() -> None:
    assert ask(load(LLAMA), T=1, S=60, B=4) == {"B": 4, "T": 1, "S": 60}


@pytest.mark.parametrize(
    ("at", "code", "columns"),
    [
        ({"B": 2, "Q": 7}, "AR0910", (5, 8)),
        ({"t": 7}, "AR0910", (1, 4)),
        ({"D": 8}, "AR0911", (1, 4)),
        ({"B": 0}, "AR0912", (1, 4)),
        ({"B": 1, "T": -3}, "AR0912", (5, 9)),
        ({"T": 10, "S": 9}, "AR0914", (6, 9)),
        ({"B": 1, "T": 1025}, "AR0915", (5, 11)),
        ({"S": 1025, "T": 1}, "AR0915", (1, 7)),
    ],
)
def test_what_makes_no_sense_is_marked_where_it_was_asked(
    at: dict[str, int], code: str, columns: tuple[int, int]
) -> None:
    found = problem(named("decoder/gpt2"), **at)
    assert found.code == code
    span = found.primary.span
    assert (span.file, span.line, span.column, span.end_column) == ("--at", 1, *columns)
    assert found.primary.line == ",".join(f"{name}={size}" for name, size in at.items())


def test_all_problems_are_found_at_once() -> None:
    found = ask(named("decoder/gpt2"), B=0, X=1, D=2)
    assert isinstance(found, tuple)
    assert [each.code for each in found] == ["AR0912", "AR0910", "AR0911"]


def test_the_table_that_ends_is_shown() -> None:
    found = problem(named("decoder/gpt2"), T=2000)
    (table,) = found.others
    assert table.span.file.endswith("gpt2.yaml")
    assert "1024" in table.text


def test_lengths_that_only_memory_depends_on() -> None:
    """An embedding alone makes no products: what it reads and writes grows all the same."""
    graph = {"tok": {"embed": {"vocab": 7, "dim": 5}, "in": "ids"}}
    spec = load({"name": "table", "inputs": {"ids": {"tokens": {"max": 9}}}, "graph": graph})
    assert ask(spec) == {"B": 1, "T": 9}
    assert ask(spec, B=4, T=3) == {"B": 4, "T": 3}


def test_a_size_that_is_an_expression_is_no_path_to_set() -> None:
    assert "`--set PATH=…`" in problem(named("encoder-decoder/whisper-tiny"), S=5).help
    assert "`--set d_model=…`" in problem(named("decoder/gpt2"), D=8).help


def test_rotary_positions_never_end() -> None:
    assert ask(load(LLAMA), T=10**6) == {"B": 1, "T": 10**6, "S": 10**6}


def test_a_length_without_a_default_is_asked_for() -> None:
    program = lowered(load(LLAMA))
    found = lengths(program, cost(program), {}, {"B": 1})
    assert isinstance(found, tuple)
    assert [each.code for each in found] == ["AR0913", "AR0913"]
    given = lengths(program, cost(program), {}, {"B": 1, "T": 4})
    assert given == {"B": 1, "T": 4, "S": 4}


def test_lengths_are_said_as_they_are_asked() -> None:
    program = lowered(load(LLAMA))
    assert letters_said(cost(program), {"S": 64, "T": 3, "B": 2}) == "B=2,T=3,S=64"


def filtered(longest: int) -> Spec:
    """Two filters of five taps without padding: 4 places fewer behind each."""
    conv = {"conv": {"kernel": 5, "dim": 8, "pad": "valid"}}
    embed = {"embed": {"vocab": 11, "dim": 8}, "in": "ids"}
    inputs = {"ids": {"tokens": {"max": longest}}}
    return load({"name": "x", "inputs": inputs, "graph": {"tok": embed, "near": conv, "far": conv}})


def test_a_place_must_be_left_behind_every_filter() -> None:
    assert ask(filtered(9)) == {"B": 1, "T": 9}
    assert ask(filtered(16), T=9) == {"B": 1, "T": 9}
    found = problem(filtered(16), B=2, T=8)
    assert (found.code, found.primary.span.column) == ("AR0912", 5)
    both = ask(filtered(16), T=4)
    assert isinstance(both, tuple)
    assert [each.code for each in both] == ["AR0912", "AR0912"]


def test_a_sequence_that_is_always_too_short_is_a_fault_of_the_spec() -> None:
    found = ask(filtered(8))
    assert isinstance(found, tuple)
    assert [each.code for each in found] == ["AR0308"]
    assert exit_status(found) == 1
