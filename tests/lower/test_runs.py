"""Orders of layers fold into rounds, and rounds unfold into the same order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.ir.program import Program, layers
from compiler.lower.stack import Run, runs
from tests.lower.specs import MLP, decoder, program

orders = st.lists(st.integers(0, 3), max_size=40)


@given(orders)
def test_unfolding_gives_the_order_back(order: list[int]) -> None:
    found = list(runs(order))
    assert [layer for run in found for _ in range(run.times) for layer in run.cycle] == order
    starts = [sum(r.times * len(r.cycle) for r in found[:i]) for i in range(len(found))]
    assert [run.start for run in found] == starts


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.integers(2, 9))
def test_rounds_of_a_cycle_are_one_run(cycle: list[int], times: int) -> None:
    (found,) = runs(cycle * times)
    assert list(found.cycle) * found.times == cycle * times
    assert len(found.cycle) <= len(cycle)


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ([], []),
        ([0], [Run((0,), 1, 0)]),
        ([0] * 12, [Run((0,), 12, 0)]),
        ([0, 1] * 6, [Run((0, 1), 6, 0)]),
        ([0, 0, 1] * 4 + [0, 0], [Run((0, 0, 1), 4, 0), Run((0,), 2, 12)]),
        ([1, *[0] * 10, 2], [Run((1,), 1, 0), Run((0,), 10, 1), Run((2,), 1, 11)]),
        ([0, 1, 2], [Run((0,), 1, 0), Run((1,), 1, 1), Run((2,), 1, 2)]),
        ([0, 0, 0, 0, 1, 0, 0, 0, 0, 1], [Run((0, 0, 0, 0, 1), 2, 0)]),
    ],
)
def test_orders_fold_as_a_reader_would(order: list[int], found: list[Run]) -> None:
    assert list(runs(order)) == found


def expanded(found: Program) -> list[str]:
    """The graph of every layer of the stack `h`, in order."""
    repeats = [node.what for node in found.main if node.under == "h" or node.id == "h"]
    return [body for repeat in repeats for _, body in layers(repeat)]  # type: ignore[arg-type]


def test_cycles_and_exceptions_of_a_spec_are_in_their_places() -> None:
    cycle = [{"times": 2, "patch": {"mlp.act": "gelu"}}, {}]
    at = {-1: {"mlp.act": "silu"}, "3..5": {"mlp.branch_scale": 2}}
    found = program(decoder({"mlp": MLP}, repeat=7, cycle=cycle, at=at))
    order = expanded(found)
    assert len(order) == 7
    assert order[0] == order[1]
    assert order[2] == order[5]
    assert order[3] not in order[:3]
    assert order[4] == order[3]
    assert order[6] not in order[:6]


@pytest.mark.parametrize("repeat", [1, 2, 96])
def test_a_plain_stack_is_one_repeat_however_deep(repeat: int) -> None:
    found = program(decoder(repeat=repeat))
    assert expanded(found) == ["h.layer"] * repeat
    assert len([n for n in found.main if n.id.startswith("h")]) == 1
