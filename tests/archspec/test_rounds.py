import pytest
from hypothesis import given
from hypothesis import strategies as st

from archspec.rounds import Told, period, runs, told

ORDERS = st.lists(st.integers(0, 3), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("order", "way"),
    [
        ([0], Told((0,))),
        ([0, 0, 0], Told((0,))),
        ([0, 1], Told((0,), ((1, 2, 1),))),
        ([0, 1, 0, 1, 0], Told((0, 1))),
        ([0, 0, 1, 1, 1], Told((0,), ((2, 5, 1),))),
        ([0, 1, 1, 2, 1, 1, 2, 1, 1, 2], Told((2, 1, 1), ((0, 1, 0),))),
        ([0, 1, 0, 1, 0, 1, 0, 2], Told((0, 1), ((7, 8, 2),))),
    ],
)
def test_the_fewest_layers_are_spelled_out(order: list[int], way: Told) -> None:
    assert told(order) == way


@given(ORDERS, st.integers(1, 9))
def test_a_cycle_and_its_exceptions_say_every_layer(order: list[int], longest: int) -> None:
    way = told(order, longest)
    said = [way.cycle[i % len(way.cycle)] for i in range(len(order))]
    for start, stop, kind in way.at:
        said[start:stop] = [kind] * (stop - start)
    assert said == order


@given(ORDERS)
def test_exceptions_are_what_a_cycle_does_not_say(order: list[int]) -> None:
    for start, stop, kind in runs(order, (0, 1)):
        assert all(order[i] == kind != (0, 1)[i % 2] for i in range(start, stop))


@given(ORDERS)
def test_no_round_is_longer_than_stretches_by_themselves(order: list[int]) -> None:
    if not period(order):
        assert told(order).written <= sum(kind != 0 for _, _, kind in runs(order))
