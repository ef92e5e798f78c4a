"""Where tensor parallelism may cut a graph: maps whose units nothing mixes before the next map."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.graph import Graph, Node, Value
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import Size, constant
from compiler.ops import (
    Activation,
    BiasedAttention,
    CacheUpdate,
    ClampedGlu,
    Clip,
    DisentangledBias,
    Dropout,
    HeadNorm,
    JointCacheUpdate,
    L2Norm,
    LatentAttention,
    Linear,
    MaskedBias,
    MergeHeads,
    Multiply,
    PairedLinear,
    PerHeadNorm,
    Rotate,
    Scale,
    ScaledDotProductAttention,
    ScoreSum,
    Sharpen,
    Sink,
    Softcap,
    Split,
    SplitHeads,
)

ATTENTIONS: Final = (
    ScaledDotProductAttention,
    BiasedAttention,
    LatentAttention,
    DisentangledBias,
    MaskedBias,
)
KEEP: Final = (Clip, Dropout, HeadNorm, L2Norm, MergeHeads, PerHeadNorm, Rotate, Scale, Sharpen)
MAKE: Final = (Linear, PairedLinear, Sink, ScoreSum)


class Axis(Frozen):
    """What a cut divides: `size` heads, or hidden units, which the node `node` sets apart."""

    size: Size
    node: str
    heads: bool


class Region(Frozen):
    """A part of a graph that ranks compute without talking, each some of the units.

    Megatron-LM (Shoeybi et al. 2019, section 3): the first maps are cut by columns, the last by
    rows; the sum over ranks follows. With sequence parallelism (Korthikanti et al. 2022, section
    4.2.2) `reads` are gathered before and `rows` summed and scattered after.

    Attributes:
        columns: the nodes whose parameters are cut along what they make.
        rows: the maps cut along what they read, each with a result that ranks add up.
        reads: what is gathered for the columns.
        axes: what a number of ranks must divide.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    reads: tuple[Value, ...]
    axes: tuple[Axis, ...]


class Cuts(Frozen):
    """The regions of a graph, and the values inside of which each rank has its own units."""

    regions: tuple[Region, ...]
    cut: frozenset[Value]


class _Units(Frozen):
    """A value whose units still stand apart: the maps that made them; `ready` once they are heads
    or have met a non-linearity."""

    makers: tuple[str, ...]
    axes: tuple[Axis, ...] = ()
    ready: bool = False

    def joined(self, *others: "_Units | None") -> "_Units":
        found = [self, *(other for other in others if other)]
        makers = dict.fromkeys(maker for units in found for maker in units.makers)
        axes = dict.fromkeys(axis for units in found for axis in units.axes)
        return _Units(tuple(makers), tuple(axes), any(units.ready for units in found))


def every_cut(program: Program) -> dict[str, Cuts]:
    """Where each graph of a program may be cut, by its name."""
    return {name: cuts(graph, program.key) for name, graph in program.graphs.items()}


def cuts(graph: Graph, key: Letters) -> Cuts:
    """Follow the units of every map through a graph, to the maps that add them up."""
    flow = _Flow(graph, key)
    for node in graph:
        flow.enter(node)
    for value in graph.outputs.values():
        flow.spoil(flow.units.get(value))
    return flow.cuts()


@dataclass
class _Flow:
    graph: Graph
    key: Letters
    units: dict[Value, _Units] = field(default_factory=dict)
    spoiled: set[str] = field(default_factory=set)
    ends: dict[str, _Units] = field(default_factory=dict)

    def enter(self, node: Node) -> None:
        """What a node does to the units that come in."""
        what = node.what
        given = [self.units.get(value) if value else None for value in node.inputs]
        if isinstance(what, MAKE):
            self._map(node, given)
        elif isinstance(what, ATTENTIONS):
            self._attend(node, given)
        elif isinstance(what, CacheUpdate | JointCacheUpdate):
            self._pass(node, given[:2])
        elif isinstance(what, SplitHeads) and constant(self.key.fix(what.H)) != 1:
            axis = Axis(what.H, node.id, heads=True)
            self._pass(node, [(given[0] or _Units(())).joined(_Units((), (axis,), ready=True))])
        elif isinstance(what, Activation | ClampedGlu | Softcap | Multiply):
            self._meet(node, given)
        elif isinstance(what, KEEP) or (_normed(what) and _apart(given[0])):
            self._pass(node, given[:1])
        elif isinstance(what, Split):
            self._pass(node, given * len(node.types))
        else:
            self.spoil(*given)

    def spoil(self, *given: _Units | None) -> None:
        """All units of some values are wanted at once."""
        self.spoiled.update(maker for units in given if units for maker in units.makers)

    def cuts(self) -> Cuts:
        """What is left once every map whose units are wanted at once is whole."""
        ends, before = dict(self.ends), -1
        while before != len(ends):
            before = len(ends)
            for row, units in list(ends.items()):
                if self.spoiled & set(units.makers):
                    self.spoil(ends.pop(row))
        groups: dict[tuple[str, ...], list[str]] = {}
        for row, units in ends.items():
            groups.setdefault(units.makers, []).append(row)
        regions = tuple(self._region(tuple(rows), ends[rows[0]]) for rows in groups.values())
        columns = {column for region in regions for column in region.columns}
        inside = (
            v for v, units in self.units.items() if units.makers and columns >= set(units.makers)
        )
        return Cuts(regions, frozenset(inside))

    def _region(self, rows: tuple[str, ...], units: _Units) -> Region:
        reads = [value for maker in units.makers for value in self._reads(self.graph[maker])]
        return Region(units.makers, rows, tuple(dict.fromkeys(reads)), units.axes)

    def _reads(self, node: Node) -> Iterable[Value]:
        """What a map reads; one inside an attention maps the latent rows, its second input."""
        place = 1 if isinstance(node.what, LatentAttention) else 0
        return [value for value in node.inputs[place : place + 1] if value]

    def _map(self, node: Node, given: list[_Units | None]) -> None:
        first, *others = given or [None]
        self.spoil(*others)
        if first and first.ready:
            self.ends[node.id] = first
            return
        self.spoil(first)
        self._pass(node, [_Units((node.id,))] * len(node.types))

    def _attend(self, node: Node, given: list[_Units | None]) -> None:
        first = given[0]
        if first is None or not first.ready:
            self.spoil(*given)
            return
        own = _Units((node.id,)) if isinstance(node.what, LatentAttention) else None
        self._pass(node, [first.joined(*given[1:], own)])

    def _meet(self, node: Node, given: list[_Units | None]) -> None:
        first = given[0]
        if first is None or not all(given):
            self.spoil(*given)
            return
        found = first.joined(*given[1:])
        if not isinstance(node.what, Multiply) and not found.ready:
            axis = Axis(node.types[0].shape[-1], node.id, heads=False)
            found = found.joined(_Units((), (axis,), ready=True))
        self._pass(node, [found])

    def _pass(self, node: Node, units: Iterable[_Units | None]) -> None:
        for port, found in enumerate(units):
            if found:
                self.units[Value(node.id, port)] = found


def _normed(what: object) -> bool:
    return isinstance(what, Operator) and what.normalizes


def _apart(units: _Units | None) -> bool:
    """Whether they are not told apart yet: a norm of all heads together stands in between."""
    return units is not None and not units.ready
