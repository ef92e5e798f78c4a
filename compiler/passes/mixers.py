"""What mixes the positions of a sequence, as layers to set side by side."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Place, Program
from compiler.ir.reach import HERE, Reach
from compiler.ir.size import Poly, Size, as_poly, total
from compiler.passes.cost import Row, cost
from compiler.passes.reach import STEP

Kind = Literal["attention", "convolution", "recurrence"]
PROJECTIONS: Final = ("q", "k", "v", "kv", "qkv", "o", "q_a", "q_b", "kv_a")
LENGTHS: Final = ("target", "source", "seen", "set", "patches", "strided", "joined")


class Mixer(Frozen):
    """One layer that mixes positions, forward, in dimension letters.

    Attributes:
        path: dotted, with the layers that it stands for.
        layers: how many of it there are.
        parameters: of one layer, the maps around the mixing too.
        mixing: FLOPs of what mixes positions, over the pairs that masks let through; for a
            recurrence or a convolution that is all of them.
        mapping: FLOPs of the maps around it, position by position: projections.
        written: elements of the results of its operators; what one holds inside is not counted.
        scores: elements of the attention matrix that an unfused kernel writes besides.
        steps: computations that wait for each other along the sequence, at least 1.
        hops: the longest path between two positions in a stack of such layers, None where there is
            none (`Reach.hops`).
        reach: of one layer.
    """

    path: str
    kind: Kind
    layers: Poly
    parameters: Poly
    mixing: Poly
    mapping: Poly
    written: Poly
    scores: Poly
    steps: Poly
    hops: Poly | None
    reach: Reach


@dataclass(frozen=True, eq=False)
class _Part:
    """An operator with its row of costs."""

    place: Place
    row: Row
    key: Letters

    @property
    def operator(self) -> Operator:
        found = self.place.node.what
        assert isinstance(found, Operator)
        return found

    @property
    def around(self) -> str:
        return self.row.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.row.path.rpartition(".")[2]

    @property
    def read(self) -> tuple[Value, Reach] | None:
        """The sequence that it looks along, and how far; None where it looks at single places."""
        ports = zip(self.operator.signature.inputs, self.place.node.inputs, strict=True)
        found = (
            (value, self.operator.reach(port.name, self.key)) for port, value in ports if value
        )
        return next(((value, reach) for value, reach in found if reach.mixes), None)

    @property
    def reach(self) -> Reach:
        """How far along its sequence it looks; one step of a scan hands its state on."""
        if self.scanned:
            return STEP
        return HERE if self.read is None else self.read[1]

    @property
    def scanned(self) -> bool:
        return as_poly(self.place.steps) != as_poly(1)


def mixers(program: Program) -> tuple[Mixer, ...]:
    """Every mixer of the folded program, in the order of execution.

    An attention comes with its projections, a step that is scanned with all that is in it.
    """
    pairs = zip(program.places(), cost(program).rows, strict=True)
    parts = [_Part(place, row, program.key) for place, row in pairs]
    return tuple(_mixers(parts))


def _mixers(parts: list[_Part]) -> Iterator[Mixer]:
    for (scanned, around), found in groupby(parts, lambda part: (part.scanned, part.around)):
        group = list(found)
        if scanned:
            yield _mixer(around, group, [])
            continue
        for part in group:
            if part.reach.mixes:
                maps = [each for each in parts if part.row.attends and _projects(each, around)]
                yield _mixer(around if maps else part.row.path, [part], maps)


def _projects(part: _Part, around: str) -> bool:
    return part.around == around and part.name in PROJECTIONS


def _mixer(path: str, mixing: list[_Part], maps: list[_Part]) -> Mixer:
    (first, *_), members = mixing, [*mixing, *maps]
    waits = total(part.row.each.total("steps") for part in mixing)
    within = total(part.row.each.total("maps") for part in mixing)
    key = first.key
    reach, length = first.reach, as_poly(_length(first)).at(key.formulas)
    return Mixer(
        path=path,
        kind=_kind(first),
        layers=first.row.uses,
        parameters=total(_own_parameters(part) for part in members),
        mixing=total(part.row.each.total("visible") for part in mixing) - within,
        mapping=total(part.row.each.total("visible") for part in maps) + within,
        written=total(_written(part) for part in members).at(key.formulas),
        scores=total(part.row.each.total("scores") for part in mixing),
        steps=waits if waits.terms else as_poly(1),
        hops=reach.hops(length),
        reach=reach,
    )


def _kind(part: _Part) -> Kind:
    if part.reach.stepwise:
        return "recurrence"
    return "attention" if part.row.attends else "convolution"


def _own_parameters(part: _Part) -> Poly:
    found = part.operator.parameters(part.place.graph.types(part.place.node.inputs), part.key)
    return total(parameter.count for parameter in found.values())


def _written(part: _Part) -> Poly:
    """What an operator that computes writes; views and copies are free."""
    if not any(part.row.each.total(name).terms for name in ("matmul", "elementwise")):
        return as_poly(0)
    return total(found.count for found in part.place.node.types) * part.place.steps


def _length(part: _Part) -> Size:
    """The positions that are mixed."""
    if part.scanned or part.read is None:
        return part.place.steps
    sizes = part.place.graph.type(part.read[0]).shape
    lengths = {name for name, known in part.key.key.items() if known.role in LENGTHS}
    return next((size for size in sizes if as_poly(size).letters & lengths), sizes[-2])
