"""Which stage of a pipeline runs which operator of the folded program, and how often."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.graph import Repeat, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Place, Program
from compiler.ir.size import Size, value
from compiler.passes.cost import Costs, Row
from compiler.report.parallel.degrees import Degrees

MARK: Final = re.compile(
    r"(?P<layer>\w+\.(?P<first>\d+)(?:\.\.(?P<end>\d+)(?::(?P<step>\d+))?)?)(?:\.|\Z)"
)
"""A path through a stack, as `layer_mark` writes its layers."""


class Part(Frozen):
    """An operator of the folded program.

    Attributes:
        runs: how often each stage runs it in a forward.
        copies: how many sets of its parameters each stage has.
        layer: the path of the layers that it stands in, such as `h.0..12`; empty outside of stacks.
        alike: whether all stages that have its parameters have the same ones.
    """

    place: Place
    row: Row
    runs: tuple[Size, ...]
    copies: tuple[Size, ...]
    layer: str
    alike: bool

    @property
    def operator(self) -> Operator:
        found = self.place.node.what
        assert isinstance(found, Operator)
        return found


def stacks(program: Program) -> dict[str, int]:
    """The stacks of a model with their layers; a remainder belongs to its stack."""
    found: dict[str, int] = {}
    for node in program.main:
        if isinstance(node.what, Repeat):
            name = node.under or node.id
            found[name] = found.get(name, 0) + node.what.layers
    return found


def all_layers(program: Program) -> int:
    """The layers of all stacks."""
    return sum(stacks(program).values())


def marked(costs: Costs) -> Iterator[tuple[Place, Row, str, re.Match[str] | None]]:
    """Every operator with its node of the root, and its layers where that is a stack."""
    inside = stacks(costs.program)
    for place, row in zip(costs.program.places(), costs.rows, strict=True):
        name = place.path.partition(".")[0]
        yield place, row, name, MARK.match(place.path) if name in inside else None


def layout(costs: Costs, degrees: Degrees) -> tuple[Part, ...]:
    """Every operator with its stages, in the order of execution.

    Layers go to pieces in their order, pieces to stages by turns; where they do not come out even
    the first pieces have one layer more. What comes before the stack is
    on the first stage, what comes behind it on the last; weights that every layer reads (a table of
    distances) are on all stages. With more stages than one there must be one stack.
    """
    program = costs.program
    layers = all_layers(program)
    first, everywhere = around(program)
    found = []
    for place, row, name, mark in marked(costs):
        if mark:
            shares = _shares(layers_in(mark), layers, degrees)
            found.append(_layered(place, row, shares, mark["layer"]))
            continue
        stages = _stages(name, first, everywhere, degrees.pp)
        runs, copies = (
            tuple(value(n) * here for here in stages) for n in (place.uses, place.copies)
        )
        found.append(Part(place, row, runs, copies, "", alike=sum(stages) > 1))
    return tuple(found)


def _layered(place: Place, row: Row, shares: tuple[tuple[int, int], ...], layer: str) -> Part:
    """`shares` are, for each stage, its layers and all that the operator stands for."""
    uses, copies = value(place.uses), value(place.copies)
    runs = tuple(uses * own // whole for own, whole in shares)
    held = tuple(copies * own // whole for own, whole in shares)
    alike = copies < uses  # layers share their weights: a stage with any of them has them all
    if alike:
        held = tuple(copies * bool(own) for own, _ in shares)
    return Part(place, row, runs, held, layer, alike)


def layers_in(mark: re.Match[str]) -> range:
    """The layers that a path stands for."""
    first = int(mark["first"])
    return range(first, int(mark["end"] or first + 1), int(mark["step"] or 1))


def _shares(inside: range, layers: int, degrees: Degrees) -> tuple[tuple[int, int], ...]:
    if degrees.pp == 1:
        return ((len(inside), len(inside)),)
    counts = Counter(piece_of(layer, layers, degrees.pieces) % degrees.pp for layer in inside)
    return tuple((counts[stage], len(inside)) for stage in range(degrees.pp))


def piece_of(layer: int, layers: int, pieces: int) -> int:
    """The piece of a layer."""
    short, longer = divmod(layers, pieces)
    return max(layer // (short + 1), (layer - longer) // short)


def layers_of(costs: Costs, degrees: Degrees) -> tuple[int, ...]:
    """The layers of each stage."""
    layers = all_layers(costs.program)
    return tuple(own for own, _ in _shares(range(layers), layers, degrees))


def _stages(
    name: str, first: Collection[str], everywhere: Collection[str], stages: int
) -> tuple[int, ...]:
    """1 for each stage that a node of the root is on, else 0."""
    here = 0 if name in first else stages - 1
    return tuple(int(name in everywhere or stage == here) for stage in range(stages))


def around(program: Program) -> tuple[set[str], set[str]]:
    """The nodes of the root before its stack, and those whose floats every layer reads."""
    before: set[str] = set()
    everywhere: set[str] = set()
    for node in program.main:
        if isinstance(node.what, Repeat):
            sources = [value for value in node.inputs[1:] if value]
            everywhere = {program.main[id_].under or id_ for id_ in _behind(program, sources)}
            break
        before.add(node.under or node.id)
    return before, everywhere


def _behind(program: Program, values: list[Value]) -> Iterator[str]:
    """The nodes that make some floats, and what those are made of.

    What says where things stand looks at other nodes for their lengths alone.
    """
    graph = program.main
    for value_ in values:
        node = graph[value_.node]
        if not isinstance(node.what, Operator) or graph.type(value_).element != "float":
            continue
        yield node.id
        if not node.what.locates:
            yield from _behind(program, [each for each in node.inputs if each])
