"""Expressions compute what exact arithmetic computes, and say where they fail."""

import math
import re
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archspec.source.expression import MAX_LENGTH, evaluate, names
from archspec.source.fault import Fault

SCOPE = {"d": 512, "h": 8, "x": 0.5}


def oracle(text: str) -> Fraction:
    """The text with its numbers made fractions, evaluated by Python itself."""
    exact = re.sub(r"\d+", lambda match: f"Fraction({match[0]})", text)
    result = eval(exact, {"Fraction": Fraction, "d": Fraction(512), "h": Fraction(8)})
    return Fraction(result)


ATOMS = st.integers(0, 99).map(str) | st.sampled_from(["d", "h"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%", " + "]), inner).map(
            "".join
        ),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-{text}"),
        st.tuples(ATOMS, st.integers(-3, 3)).map(lambda pair: f"{pair[0]}**{pair[1]}"),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_it_agrees_with_python(text: str) -> None:
    try:
        expected = oracle(text)
    except ZeroDivisionError:
        with pytest.raises(Fault, match="division by zero"):
            evaluate(text, SCOPE)
        return
    try:
        found = evaluate(text, SCOPE)
    except Fault as fault:
        assert fault.code == "AR0603"
        return
    whole = expected.denominator == 1
    assert type(found) is (int if whole else float)
    assert found == (int(expected) if whole else float(expected))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("round_up(8*4096/3, 256)", 11008),
        ("round_up(8*4096/3, 1024)", 11264),
        ("sqrt(d)", math.sqrt(512)),
        ("192**-0.5 * (0.1*ln(40)+1)**2", 192**-0.5 * (0.1 * math.log(40) + 1) ** 2),
        ("-2**2", -4),
        ("2**3**2", 512),
        ("2**-1", 0.5),
        ("min(d, 3*h, 100)", 24),
        ("max(d)", 512),
        ("floor(7/2) + ceil(7/2)", 7),
        ("1e3", 1000.0),
        ("7 % 4 // 2", 1),
        ("4*x", 2.0),
        (" d ", 512),
    ],
)
def test_values(text: str, value: float) -> None:
    assert evaluate(text, SCOPE) == value


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        ("4*dd", "AR0601", 2),
        ("4 d", "AR0602", 2),
        ("(4", "AR0602", 1),
        ("4)", "AR0602", 1),
        ("", "AR0602", 0),
        ("d.real", "AR0602", 1),
        ("__import__('os')", "AR0602", 11),
        ("lambda: 1", "AR0602", 6),
        ("foo(1)", "AR0606", 0),
        ("sqrt(1, 2)", "AR0606", 0),
        ("sqrt", "AR0601", 0),
        ("1/(d-512)", "AR0605", 1),
        ("(0-8)**0.5", "AR0605", 5),
        ("9**9**9", "AR0603", 1),
        ("1e999", "AR0603", 0),
        ("9" * 19, "AR0603", 0),
        ("½", "AR0602", 0),
        ("\u0661", "AR0602", 0),  # a digit, but not of ours
    ],
)
def test_faults_stand_where_they_are(text: str, code: str, start: int) -> None:
    with pytest.raises(Fault) as caught:
        evaluate(text, SCOPE)
    assert (caught.value.code, caught.value.start) == (code, start)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100 + "1" + ")" * 100,
        "-" * 150 + "1",
        "1" + "**9" * 60,
        "1" * (MAX_LENGTH + 1),
        "2**" * 60 + "2",
        "(9**50)**(9**50)",
        "round_up(9**50, 1)*9**50",
        "1e300*1e300",
    ],
)
def test_attacks_are_refused_at_once(text: str) -> None:
    started = time.process_time()
    with pytest.raises(Fault) as caught:
        evaluate(text, {})
    assert caught.value.code in ("AR0603", "AR0605")
    assert time.process_time() - started < 15


def test_a_refused_name_causes_no_second_report() -> None:
    with pytest.raises(Fault) as caught:
        evaluate("2*broken", {"broken": None})
    assert caught.value.silent


def test_names_are_what_an_expression_depends_on() -> None:
    assert names("round_up(a*b, sqrt(c)) + 1") == {"a", "b", "c"}
    assert names("not & an expression") == frozenset()
