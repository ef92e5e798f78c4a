"""Paths of nodes as people write them: `h.layer.attn.sdpa`, `h.3.attn.sdpa`,
`h.0..12.attn.sdpa`."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, constant
from compiler.passes.cost import Costs, Row

STEP: Final = re.compile(r"\d+\.\.\d+(?::\d+)?|[^.]+")
LAYERS: Final = re.compile(r"(\d+)(?:\.\.(\d+)(?::(\d+))?)?")
ANY: Final = "layer"


class Found(Frozen):
    """An operator at a path, and of how many equal layers one alone is meant: `layers` of them."""

    row: Row
    layers: int
    shared: bool

    def of(self, costs: Costs, size: Poly) -> Poly:
        """The part of a formula over all layers that those meant have."""
        if self.layers == 1:
            return size
        for known in costs.key.key.values():
            if known.role == "layers" and known.size == self.layers and known.name in size.letters:
                return size.at({known.name: 1})
        return size * Fraction(1, self.layers)


def find(costs: Costs, path: str) -> list[Found]:
    """The operators at a path or below it, in the order in which they run."""
    wanted = STEP.findall(path)
    places = costs.program.places()
    return [
        Found(row, layers, constant(place.copies) == 1)
        for row, place in zip(costs.rows, places, strict=True)
        if (layers := _meets(wanted, STEP.findall(row.path)))
    ]


def folded(costs: Costs) -> Iterator[str]:
    """Every path with `layer` for layers, the operators' and those above them."""
    seen: dict[str, None] = {}
    for row in costs.rows:
        steps = [ANY if LAYERS.fullmatch(step) else step for step in STEP.findall(row.path)]
        seen.update(dict.fromkeys(".".join(steps[:end]) for end in range(len(steps), 0, -1)))
    yield from seen


def _meets(wanted: list[str], steps: list[str]) -> int:
    """0 where a path does not begin as wanted, else how many layers share what one of them has."""
    if not wanted or len(wanted) > len(steps):
        return 0
    layers = 1
    for asked, step in zip(wanted, steps, strict=False):
        mark = LAYERS.fullmatch(step)
        if asked == step or (mark and asked == ANY):
            continue
        if mark is None or not asked.isdecimal() or int(asked) not in _layers(mark):
            return 0
        layers *= len(_layers(mark))
    return layers


def _layers(mark: "re.Match[str]") -> range:
    first = int(mark[1])
    return range(first, int(mark[2]) if mark[2] else first + 1, int(mark[3] or 1))
