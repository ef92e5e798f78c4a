"""Literals evaluate to the value they were made of, and Ruff leaves them as they are."""

import ast
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.backends.torch.layout import docstring, lay_block, number, text
from tests.backends.torch.ruff_judge import ruff_complaints, ruff_format

ANY = st.text(st.characters(exclude_categories=()))
NASTY = ['"""', "\\", '"', "'", "\n", "\r", "\t", "\x00", "{x}", "\\N{DASH}", "\ud800", "é", " "]
LINES = st.lists(ANY | st.lists(st.sampled_from(NASTY), max_size=6).map("".join), max_size=5)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (4096, "4096"),
        (9_999, "9999"),
        (10_000, "10_000"),
        (128_256, "128_256"),
        (-14_336, "-14_336"),
        (True, "True"),
        (1e-05, "1e-5"),
        (1e-10, "1e-10"),
        (500000.0, "500_000.0"),
        (-12345.678, "-12_345.678"),
        (0.02, "0.02"),
        (1e16, "1e16"),
        (-0.0, "-0.0"),
    ],
)
def test_a_number_as_a_person_writes_it(value: float, written: str) -> None:
    assert number(value) == written


@given(st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False), min_size=20))
@settings(max_examples=20, deadline=None)
def test_a_number_evaluates_to_itself(values: list[float]) -> None:
    written = [number(value) for value in values]
    back = [ast.literal_eval(one) for one in written]
    assert [(type(one), repr(one)) for one in back] == [(type(one), repr(one)) for one in values]
    program = "".join(f"x = {one}\n" for one in written)
    assert ruff_format(program) == program


def test_a_number_without_end() -> None:
    assert number(math.inf) == 'float("inf")'
    assert number(-math.inf) == 'float("-inf")'
    assert number(math.nan) == 'float("nan")'


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("mean", '"mean"'),
        ('say "x"', "'say \"x\"'"),
        ("it's", '"it\'s"'),
        ('"it\'s"', "'\"it\\'s\"'"),
        ("a\\b\n", '"a\\\\b\\n"'),
        ("é\u2013", '"\\xe9\\u2013"'),
    ],
)
def test_a_text_in_the_quotes_that_suit_it(value: str, written: str) -> None:
    assert text(value) == written


@given(st.lists(ANY | st.text("\"'\\ab"), min_size=20))
@settings(max_examples=20, deadline=None)
def test_a_text_evaluates_to_itself(values: list[str]) -> None:
    written = [text(value) for value in values]
    assert [ast.literal_eval(one) for one in written] == values
    program = "".join(f"x = {one}\n" for one in written)
    assert program.isascii()
    assert program.count("\n") == len(values)
    assert ruff_format(program) == program


def evaluated(program: str) -> str:
    """The value of the only statement of `program`, which is a string and calls nothing."""
    (statement,) = ast.parse(program).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Constant)
    assert isinstance(statement.value.value, str)
    return statement.value.value


@given(LINES)
@settings(max_examples=200, deadline=None)
def test_a_docstring_is_data_and_loses_only_spaces(lines: list[str]) -> None:
    program = lay_block([(0, line) for line in docstring(lines)])
    assert program.isascii()
    asked = "\n".join(lines)
    assert evaluated(program).replace(" ", "").strip("\n") == asked.replace(" ", "").strip("\n")


@given(st.lists(ANY.map(lambda line: f"x{line}x".replace("\n", "\\")), min_size=2))
@settings(max_examples=50, deadline=None)
def test_a_docstring_of_clean_lines_is_kept_exactly(lines: list[str]) -> None:
    assert evaluated("\n".join(docstring(lines))) == "\n".join(lines) + "\n"


@given(st.lists(LINES, min_size=10, max_size=30))
@settings(max_examples=20, deadline=None)
def test_a_docstring_is_stable(texts: list[list[str]]) -> None:
    rows: list[tuple[int, str]] = []
    for lines in texts:
        rows += [(0, "class A:"), *((1, line) for line in docstring(lines)), (1, ""), (1, "x = 1")]
        rows += [(0, ""), (0, "")]
    program = lay_block(rows[:-2])
    assert ruff_format(program) == program


def test_a_docstring_of_nothing() -> None:
    assert docstring([]) == docstring(["", "  "]) == ['""" """']


@pytest.mark.parametrize(
    "attack",
    ['"""\nimport os\n"""', '\\"""; import os; """', "'''", "{{ x }}", "\\", '"', '""', "\x0c"],
)
def test_a_docstring_executes_nothing(attack: str) -> None:
    program = lay_block([(0, line) for line in docstring([attack])])
    assert evaluated(program).strip("\n") == attack.strip("\n")
    assert ruff_format(program) == program
    assert ruff_complaints(program) == ""
