"""Totals are the sums of their rows, and a printed formula is its number."""

import math
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.passes.cost import Costs, cost
from compiler.passes.metrics import exact, formulas, totals
from tests.passes.samples import chosen, lowered, named
from tests.shipped import EVERY

FEW = settings(max_examples=50, deadline=None)


@cache
def costs_of(name: str) -> Costs:
    return cost(lowered(named(name)))


@pytest.mark.parametrize("name", EVERY)
def test_rows_add_up_to_the_totals(name: str) -> None:
    spec = named(name)
    program = lowered(spec)
    costs = cost(program)
    at = chosen(program, costs, spec, {})
    figures = totals(costs, at)
    for part, whole in (("matmul", "matmul_flops"), ("visible", "matmul_flops_causal")):
        rows = [exact(costs, row.cost.total(part), at) for row in costs.rows]
        assert sum(rows) == figures[whole]
    state = sum(exact(costs, row.cost.total("state"), at) for row in costs.rows)
    assert 2 * state == figures.get("kv_held_bytes", figures["kv_bytes"]) >= figures["kv_bytes"]
    assert sum(exact(costs, row.parameters, at) for row in costs.rows) == figures["parameters"]
    assert figures["linear_flops"] + figures["attention_flops"] == figures["matmul_flops"]


@pytest.mark.parametrize("name", EVERY)
@FEW
@given(data=st.data())
def test_a_printed_formula_gives_the_integer(name: str, data: st.DataObject) -> None:
    costs = costs_of(name)
    letters = {known.name for known in costs.key.key.values()}
    drawn = {letter: data.draw(st.integers(1, 1000), letter) for letter in sorted(letters)}
    point = {letter: Fraction(number) for letter, number in drawn.items()}
    for size in formulas(costs).values():
        printed = eval(str(size), {"max": max, "min": min, "floor": math.floor}, point)
        assert printed == exact(costs, size.at(drawn), {})
