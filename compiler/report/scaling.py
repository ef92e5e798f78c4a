"""How costs grow with the length, from 1 k to 128 k positions."""

from collections.abc import Iterable, Mapping
from typing import Final

from archspec.source.frozen import Frozen
from compiler.passes.cost import Costs
from compiler.passes.cost_lengths import Table
from compiler.passes.metrics import exact, formulas
from compiler.passes.setting import Setting

SERIES: Final = tuple(2**power for power in range(10, 18))


class Point(Frozen):
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
    grown = {
        name: size.at({**costs.key.sizes, **_without(at, names)})
        for name, size in formulas(costs, setting).items()
    }

    def point(length: int) -> Point:
        sizes = dict.fromkeys(names, length)
        found = {name: exact(costs, size, sizes) for name, size in grown.items()}
        return Point(length, found, length > end)

    return tuple(map(point, SERIES))


def _without(at: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    return {name: size for name, size in at.items() if name not in names}
