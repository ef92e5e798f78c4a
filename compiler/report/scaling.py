"""How costs grow with the length, from 1 k to 128 k positions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from compiler.passes.cost import Costs
from compiler.passes.cost_lengths import Table
from compiler.passes.metrics import totals
from compiler.passes.setting import Setting

SERIES: Final = tuple(2**power for power in range(10, 18))


@dataclass(frozen=True)
class Point:
    """Every total at one length; `beyond` where a learned table of positions ends before it."""

    length: int
    totals: Mapping[str, int]
    beyond: bool


def scaling(
    costs: Costs, at: Mapping[str, int], tables: Iterable[Table], setting: Setting
) -> tuple[Point, ...]:
    """A point for each length at the batch of `at`; none where the model fixes its lengths."""
    names = [known.name for known in costs.free if known.role != "batch"]
    if not names:
        return ()
    end = min((table.places for table in tables), default=SERIES[-1])
    return tuple(
        Point(length, totals(costs, {**at, **dict.fromkeys(names, length)}, setting), length > end)
        for length in SERIES
    )
