"""Formulas without what they have in common are the same formulas, and fewer bytes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.report.page.figures import compact
from compiler.report.page.parts import FIRST, LAST, shared
from tests.passes.samples import named
from tests.report.parallel.spread import counted

CALL = st.recursive(
    st.sampled_from(["B", "2T", "D²"]),
    lambda inner: st.tuples(st.sampled_from(["floor", "max", ""]), inner, inner).map(
        lambda found: f"{found[0]}({found[1]}+{found[2]})"
    ),
    max_leaves=12,
)
REFERENCE = re.compile("[\u0100-\u07ff]")


def whole(text: str, parts: list[str]) -> str:
    """Every part put back, one by one, until none is left."""
    while found := REFERENCE.search(text):
        text = text.replace(found[0], parts[ord(found[0]) - FIRST])
    return text


def length(*texts: str) -> int:
    return sum(len(text.encode()) for text in texts)


@given(st.lists(CALL, max_size=12))
def test_parts_put_back_give_the_formulas(formulas: list[str]) -> None:
    short, parts = shared(formulas)
    assert [whole(text, parts) for text in short] == formulas
    assert length(*short, *parts) <= length(*formulas)
    for part in parts:
        assert sum(text.count(whole(part, parts)) for text in formulas) > 1


@pytest.mark.parametrize("name", ["decoder/deepseek-v3", "encoder-decoder/t5-small"])
def test_the_formulas_of_ranks_are_half_as_long(name: str) -> None:
    ranks = counted(named(name)).parallel(tp=2, dp=4, zero=3)
    formulas = [compact(size) for stage in ranks.stages for size in stage.figures.values()]
    short, parts = shared(formulas)
    assert [whole(text, parts) for text in short] == formulas
    assert length(*short, *parts) < length(*formulas) / 2


def test_more_parts_than_characters() -> None:
    formulas = [f"floor({n}B+{n}T+{n}D)" for n in range(LAST)] * 2
    short, parts = shared(formulas)
    assert len(parts) == LAST - FIRST + 1
    assert [whole(text, parts) for text in short] == formulas
