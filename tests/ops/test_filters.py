"""Filters along an axis: how far they look is where their taps are."""

from itertools import product
from math import gcd

import pytest

from compiler.ir.letters import Letters
from compiler.ir.reach import EVERYWHERE
from compiler.ops import Conv1d, FrameConv

KEY = Letters()
SHAPES = [
    (taps, dilation, before, after)
    for taps, dilation, before, after in product((1, 2, 3, 4), (1, 2, 3), range(5), range(4))
    if before <= (taps - 1) * dilation
]


@pytest.mark.parametrize(("taps", "dilation", "before", "after"), SHAPES)
def test_they_look_where_their_taps_are(taps: int, dilation: int, before: int, after: int) -> None:
    offsets = [tap * dilation - before for tap in range(taps)]
    size = KEY.fixed("patch", taps)
    operators: list[Conv1d | FrameConv] = [
        FrameConv(4, 4, size, 9, 1, before, after, dilation),
        FrameConv(4, 4, taps, 9, 1, before, after, dilation),
    ]
    if before + after == (taps - 1) * dilation:
        operators.append(Conv1d(4, 4, size, before, after, dilation))
    for operator in operators:
        reach = operator.reach("x", KEY)
        assert (reach.back, reach.ahead) == (-min(offsets), max(offsets))
        assert not reach.mixes or reach.every == gcd(*offsets)


def test_strides_leave_no_place_where_it_was() -> None:
    assert FrameConv(4, 4, 3, 9, 2, 1, 1).reach("x", KEY) == EVERYWHERE
