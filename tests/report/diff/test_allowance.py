"""How much totals may grow: exact at the edge, and nothing that makes no sense."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archspec.source.diagnostic import SpecError
from compiler.report.diff.allowance import Allowance, allowances


def test_a_text_is_read_exactly() -> None:
    one, other = allowances("parameters=0.5 %, kv_bytes = 0")
    assert (one.metric, one.share, one.percent) == ("parameters", Fraction(1, 200), "0.5")
    assert (other.metric, other.percent) == ("kv_bytes", "0")
    assert allowances("") == ()


@given(st.integers(1, 10**18), st.integers(0, 1000))
def test_the_edge_is_allowed_and_one_more_is_not(before: int, percent: int) -> None:
    allowed = Allowance("parameters", Fraction(percent, 100))
    edge = before + before * percent // 100
    assert allowed.keeps(before, edge)
    assert not allowed.keeps(before, edge + 1)
    assert allowed.keeps(before, before - 1)


def test_what_was_nothing_may_not_grow() -> None:
    allowed = Allowance("kv_bytes", Fraction(5))
    assert allowed.keeps(0, 0)
    assert not allowed.keeps(0, 1)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("parameter=5%", "did you mean `parameters`?"),
        ("parameters", "nothing is given"),
        ("parameters=-5%", "`-5%` is none"),
        ("parameters=lots", "`lots` is none"),
        ("=5%", "has them all"),
    ],
)
def test_what_makes_no_sense(said: str, hint: str) -> None:
    with pytest.raises(SpecError) as raised:
        allowances(said)
    (only,) = raised.value.diagnostics
    assert (only.code, only.primary.span.file) == ("AR0967", "--growth")
    assert hint in only.primary.text


def test_a_total_is_given_once() -> None:
    with pytest.raises(SpecError) as raised:
        allowances("parameters=1%,parameters=50%")
    assert raised.value.diagnostics[0].primary.text == "it is given twice"
