"""A graph: operators as nodes of a multigraph, values as edges from an output port to an input
port.

Whoever wants networkx's algorithms gets the graph as networkx has it. What the compiler asks
itself, it answers from nodes that stand in the order of their edges: to import networkx takes
longer than to read and count a spec.
"""

import itertools
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.ir.operator import Operator
from compiler.ir.size import Size
from compiler.ir.types import TensorType

if TYPE_CHECKING:
    import networkx as nx

NOWHERE = Span("", 1, 1, 1, 1)


@dataclass(frozen=True)
class Value:
    """The output `port` of the node `node`."""

    node: str
    port: int = 0


class Entry(Frozen):
    """The node of a graph's input."""

    name: str


class Call(Frozen):
    """The use of another graph of the program."""

    graph: str


class Repeat(Frozen):
    """`times` rounds over the graphs `bodies`: layer `start + round * len(bodies) + i` is
    `bodies[i]`.

    The first input is carried from layer to layer. `wires[i]` says which inputs of the node body i
    takes, in the order of its own. Inputs in `sliced` are cut along their first axis, a slice a
    layer; the others are the same for all layers. With `share` every layer uses the same weights.
    Bodies may give nothing: then every layer gets the first input as it is.
    """

    bodies: tuple[str, ...]
    times: int
    wires: tuple[tuple[int, ...], ...]
    start: int = 0
    sliced: tuple[int, ...] = ()
    share: bool = False

    @property
    def layers(self) -> int:
        """How many layers it stands for."""
        return self.times * len(self.bodies)

    def taking(
        self, wires: Sequence[Sequence[int]], always: tuple[int, ...] = (0,)
    ) -> "tuple[Repeat, tuple[int, ...]]":
        """The repeat whose bodies take no inputs but those that `wires` number, and the numbers of
        all that it keeps of its own, `always` among them."""
        kept = tuple(sorted({*always}.union(*wires)))
        places = {old: new for new, old in enumerate(kept)}
        renumbered = tuple(tuple(places[old] for old in wire) for wire in wires)
        sliced = tuple(places[old] for old in self.sliced if old in places)
        return replace(self, wires=renumbered, sliced=sliced), kept


class Scan(Frozen):
    """A step of `graph` for each of `times` positions: what one step gives, the next one takes.

    Of the inputs, the first `carried` are the states before the first step and the next `cut` are
    sequences [B, T, ...], of which a step takes one position [B, ...]; the others are the same for
    all steps. The graph takes them in this order. Its first `carried` outputs are the states behind
    a step; the others are stacked along the second axis. The node gives the last states, then the
    stacked sequences.
    """

    graph: str
    carried: int
    cut: int
    times: Size


What: TypeAlias = "Entry | Operator | Call | Repeat | Scan"


@dataclass(frozen=True)
class Node:
    """One node. Its id is a name within the graph; ids along the calls make the path
    (`h.3.attn.qkv`)."""

    id: str
    what: What
    inputs: tuple[Value | None, ...]
    types: tuple[TensorType, ...]
    span: Span = NOWHERE
    under: str = ""
    """The name in the parameters' path where it is not the id: a remainder of a stack keeps the
    stack's name."""


@dataclass
class Graph:
    """A named graph. It only grows: a pass that changes something builds another one."""

    name: str
    title: str = ""
    span: Span = NOWHERE
    outputs: dict[str, Value] = field(default_factory=dict)
    _nodes: dict[str, Node] = field(init=False, repr=False, default_factory=dict)
    _readers: dict[Value, list[tuple[Node, int]]] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    @property
    def nx(self) -> "nx.MultiDiGraph[str]":
        """What there is by now as networkx has it: a node's `node`, an edge's input port as its key
        and output `port`."""
        import networkx

        made: nx.MultiDiGraph[str] = networkx.MultiDiGraph()
        made.add_nodes_from((node.id, {"node": node}) for node in self)
        made.add_edges_from(
            (value.node, node.id, port, {"port": value.port})
            for node in self
            for port, value in enumerate(node.inputs)
            if value is not None
        )
        return made

    def enter(self, name: str, found: TensorType, span: Span = NOWHERE) -> Value:
        """Add an input."""
        return self.add(Node(name, Entry(name), (), (found,), span))[0]

    def add(self, node: Node) -> tuple[Value, ...]:
        """Add a node whose inputs are there already; returns its output values."""
        if node.id in self:
            raise ValueError(f"graph {self.name} has two nodes called {node.id}")
        for port, value in enumerate(node.inputs):
            if value is not None:
                if value.node not in self:
                    raise ValueError(f"{node.id} reads {value.node}, which is not there yet")
                self._readers.setdefault(value, []).append((node, port))
        self._nodes[node.id] = node
        return tuple(Value(node.id, port) for port in range(len(node.types)))

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def __getitem__(self, id_: str) -> Node:
        return self._nodes[id_]

    def __contains__(self, id_: str) -> bool:
        return id_ in self._nodes

    @property
    def inputs(self) -> dict[str, Value]:
        """The graph's inputs in order."""
        return {node.what.name: Value(node.id) for node in self if isinstance(node.what, Entry)}

    def type(self, value: Value) -> TensorType:
        """The type of a value."""
        return self[value.node].types[value.port]

    def types(self, values: Iterable[Value | None]) -> tuple[TensorType | None, ...]:
        """The types of some values, None where a port is empty."""
        return tuple(None if value is None else self.type(value) for value in values)

    def is_read(self, node: Node) -> bool:
        """Whether anything reads a node; an embedding may be there for its table alone."""
        values = (Value(node.id, port) for port in range(len(node.types)))
        results = self.outputs.values()
        return any(value in self._readers or value in results for value in values)

    def readers(self, value: Value) -> list[tuple[Node, int]]:
        """Every node and input port that reads a value."""
        return list(self._readers.get(value, ()))

    def below(self, *roots: str) -> set[str]:
        """The ids of some nodes and of all that depends on them."""
        found = set(roots)
        for node in self:
            if any(value is not None and value.node in found for value in node.inputs):
                found.add(node.id)
        return found

    def free_id(self, wish: str, reserved: Container[str] = ()) -> str:
        """`wish`, or `wish_2`, `wish_3` … where it is taken or reserved for a node to come."""
        tries = itertools.chain([wish], (f"{wish}_{n}" for n in itertools.count(2)))
        return next(name for name in tries if name not in self and name not in reserved)

    def structure(self) -> tuple[Any, ...]:
        """Everything that makes two graphs the same: nodes, edges and types, not names of the graph
        or places."""
        nodes = tuple((n.id, n.what, n.inputs, n.types, n.under) for n in self)
        return (self.title, nodes, tuple(self.outputs.items()))


def copied(graph: Graph) -> "Rebuild":
    """Begin a new graph of the same name, to be filled by a pass."""
    return Rebuild(graph, Graph(graph.name, graph.title, graph.span))


@dataclass
class Rebuild:
    """A graph in the making from another one: `values` says what each old value has become."""

    old: Graph
    new: Graph
    values: dict[Value, Value | None] = field(default_factory=dict)

    def moved(self, values: Sequence[Value | None]) -> tuple[Value | None, ...]:
        """Old values as new ones."""
        return tuple(None if v is None else self.values[v] for v in values)

    def keep(self, node: Node, **changes: Any) -> tuple[Value, ...]:
        """Take a node over, with fields changed."""
        values = self.new.add(replace(node, **{"inputs": self.moved(node.inputs), **changes}))
        self.values.update({Value(node.id, port): value for port, value in enumerate(values)})
        return values

    def finish(self) -> Graph:
        """Carry the outputs over and return the new graph."""
        for name, value in self.old.outputs.items():
            moved = self.values[value]
            if moved is None:
                raise ValueError(f"output {name} of {self.old.name} has gone")
            self.new.outputs[name] = moved
        return self.new
