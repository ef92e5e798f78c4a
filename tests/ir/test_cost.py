"""Costs add up, multiply, and count every pair where no mask says less."""

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from compiler.ir.cost import Cost
from compiler.ir.size import as_poly, letter

T = letter("T")
sizes = st.one_of(st.integers(0, 9), st.integers(0, 9).map(lambda n: n * T))
costs = st.builds(
    Cost, **{f.name: sizes for f in fields(Cost)} | {"visible": st.one_of(st.none(), sizes)}
)
NAMES = [f.name for f in fields(Cost)]


@given(costs, costs)
def test_every_figure_of_a_sum_is_the_sum_of_the_figures(one: Cost, two: Cost) -> None:
    both = one + two
    assert all(both.total(name) == one.total(name) + two.total(name) for name in NAMES)


@given(costs, st.integers(0, 5))
def test_uses_multiply(cost: Cost, count: int) -> None:
    many = cost.times(count)
    again = sum((cost for _ in range(count)), Cost())
    assert all(many.total(name) == again.total(name) for name in NAMES)


def test_without_a_mask_every_pair_is_visible() -> None:
    assert Cost(matmul=6 * T).total("visible") == 6 * T
    assert Cost(matmul=6 * T, visible=4 * T).total("visible") == 4 * T
    mixed = Cost(matmul=6 * T) + Cost(matmul=6 * T, visible=as_poly(1))
    assert mixed.total("visible") == 6 * T + 1


def test_nothing_costs_nothing() -> None:
    assert all(Cost().total(name) == as_poly(0) for name in NAMES)
