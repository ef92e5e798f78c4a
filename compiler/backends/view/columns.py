"""Where the items of each row stand from left to right: as straight below each other as fits."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from archspec.source.frozen import Frozen
from compiler.backends.view.layering import Item

ROUNDS: Final = 12


class Link(Frozen):
    """A piece of a wire between neighbouring rows; it leaves and arrives beside the middles."""

    above: Item
    below: Item
    leaves: float
    arrives: float


def columns(
    rows: Sequence[Sequence[Item]],
    links: Sequence[Link],
    widths: Mapping[Item, float],
    between: float,
) -> dict[Item, float]:
    """The middle of every item; neighbours keep `between` apart, and the leftmost edge is at 0."""
    wishes: tuple[dict[Item, list[tuple[Item, float]]], ...] = (
        defaultdict(list),
        defaultdict(list),
    )
    for link in links:
        wishes[0][link.below].append((link.above, link.leaves - link.arrives))
        wishes[1][link.above].append((link.below, link.arrives - link.leaves))
    found: dict[Item, float] = {}
    for row in rows:
        found |= _apart(row, dict.fromkeys(row, 0.0), widths, between)
    for round_ in range(ROUNDS):
        wish = wishes[round_ % 2]
        for row in rows if round_ % 2 == 0 else reversed(rows):
            wanted = {}
            for item in row:
                pulls = [found[other] + shift for other, shift in wish[item]]
                wanted[item] = sum(pulls) / len(pulls) if pulls else found[item]
            found |= _apart(row, wanted, widths, between)
    left = min((found[item] - widths[item] / 2 for item in found), default=0.0)
    return {item: x - left for item, x in found.items()}


def _apart(
    row: Sequence[Item], wanted: Mapping[Item, float], widths: Mapping[Item, float], between: float
) -> dict[Item, float]:
    """The places nearest to the wanted ones (in squares) that keep the order and the distances.

    Pool adjacent violators on the places less the room that everything to the left needs.
    """
    room, needed = 0.0, []
    for index, item in enumerate(row):
        if index:
            room += (widths[row[index - 1]] + widths[item]) / 2 + between
        needed.append(room)
    blocks: list[tuple[float, int]] = []
    for item, offset in zip(row, needed, strict=True):
        mean, size = wanted[item] - offset, 1
        while blocks and blocks[-1][0] > mean:
            before, count = blocks.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        blocks.append((mean, size))
    level = [mean for mean, size in blocks for _ in range(size)]
    return {item: x + offset for item, x, offset in zip(row, level, needed, strict=True)}
