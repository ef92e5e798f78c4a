"""Layers of a decoder in two parts: what follows its source alone, and what steps."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from archspec.source.frozen import Frozen
from compiler.ir.graph import Call, Entry, Graph, Node, Rebuild, Repeat, Scan, Value
from compiler.ir.types import TensorType
from compiler.ops import HandOver, ScaledDotProductAttention
from compiler.ops.hand_over import KINDS


class Slot(Frozen):
    """An input of a graph for keys or values of the source, by `kind`."""

    name: str
    kind: str
    type: TensorType

    def around(self, name: str) -> "Slot":
        """The same where the graph is called `name`."""
        return replace(self, name=f"{name}_{self.name}")


class Parts(Frozen):
    """What a `graph` has become in the programs of an encoder and of a decoder: each takes those of
    its inputs that `read` and `kept` count, then all `slots`. The encoder's gives nothing but what
    it hands over."""

    graph: str
    encoder: str
    decoder: str
    read: tuple[int, ...]
    kept: tuple[int, ...]
    slots: tuple[Slot, ...]


def rebuilt(
    graph: Graph, name: str, nodes: Sequence[Node], entries: Mapping[Value, tuple[str, TensorType]]
) -> tuple[Rebuild, tuple[int, ...]]:
    """A graph of some nodes, which may read `entries` too, and the numbers of those inputs of
    `graph` that it takes: what is read."""
    made = Rebuild(graph, Graph(name, graph.title, graph.span))
    read = {value for node in nodes for value in node.inputs}
    taken = [value in read for value in graph.inputs.values()]
    for value, kept in zip(graph.inputs.values(), taken, strict=True):
        if kept:
            made.keep(graph[value.node])
    for value, (entry, found) in entries.items():
        if value in read:
            made.values[value] = made.new.enter(entry, found)
    for node in nodes:
        made.keep(node)
    return made, tuple(number for number, kept in enumerate(taken) if kept)


@dataclass
class Parting:
    """Takes graphs of a program apart.

    Attributes:
        encoder, decoder: the graphs of the two programs, callees before callers.
    """

    graphs: Mapping[str, Graph]
    encoder: dict[str, Graph] = field(init=False)
    decoder: dict[str, Graph] = field(init=False)
    _known: dict[tuple[str, tuple[bool, ...]], Parts] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.encoder, self.decoder = dict(self.graphs), dict(self.graphs)

    def parts(self, name: str, source: Sequence[bool]) -> Parts:
        """What a graph becomes where the inputs that `source` marks follow the source alone.

        Without anything to hand over the decoder has it as it is.
        """
        key = name, tuple(source)
        if key not in self._known:
            self._known[key] = _Layer(self, self.graphs[name], source).parts()
        return self._known[key]

    @property
    def found(self) -> dict[str, Parts]:
        """What was taken apart, by the names of both parts."""
        apart = [parts for parts in self._known.values() if parts.slots]
        return {name: parts for parts in apart for name in (parts.encoder, parts.decoder)}

    def free(self, wish: str) -> str:
        """A name that no graph has."""
        while wish in self.encoder or wish in self.decoder:
            wish += "_"
        return wish


class _Layer:
    """One graph on its way to two."""

    def __init__(self, parting: Parting, graph: Graph, source: Sequence[bool]) -> None:
        self.parting, self.graph = parting, graph
        entries = [value.node for value in graph.inputs.values()]
        self.source = {name for name, alone in zip(entries, source, strict=True) if alone}
        self.stepping = {*entries} - self.source
        """Entries of a step, and nodes of the source whose results a step needs as they are."""
        below = graph.below(*entries)
        self.constant = {node.id for node in graph if node.id not in below}
        self.fixed: set[str] = set()
        """Nodes that follow the source alone."""
        self.calls: dict[str, Parts] = {}

    def parts(self) -> Parts:
        """Both graphs, which are added to those of the programs."""
        self._sort()
        while needed := next((node.id for node in self.graph if self._needed(node)), None):
            self.stepping.add(needed)
            self._sort()
        handed = {(value, kind): self._slot(value, kind) for value, kind in self._handed()}
        called = (slot.around(id_) for id_, parts in self.calls.items() for slot in parts.slots)
        slots = (*handed.values(), *called)
        if not slots:
            every = tuple(range(len(self.graph.inputs)))
            return Parts(self.graph.name, "", self.graph.name, (), every, ())
        entries = {Value(slot.name): (slot.name, slot.type) for slot in slots}
        name = self.parting.free(f"{self.graph.name}.source")
        encoder, read = rebuilt(self.graph, name, [*self._encoded(handed)], entries)
        self.parting.encoder[name] = encoder.new
        name = self.parting.free(f"{self.graph.name}.step")
        decoder, kept = rebuilt(self.graph, name, [*self._decoded(handed)], entries)
        self.parting.decoder[name] = decoder.finish()
        return Parts(self.graph.name, encoder.new.name, name, read, kept, slots)

    def _sort(self) -> None:
        """Find what follows the source alone, and calls in which something does."""
        alone = self.graph.below(*self.source) - self.graph.below(*self.stepping)
        self.fixed, self.calls = alone - self.source, {}
        for node in self.graph:
            if isinstance(node.what, Call) and node.id not in alone | self.constant:
                source = [value is not None and value.node in alone for value in node.inputs]
                parts = self.parting.parts(node.what.graph, source)
                if parts.slots:
                    self.calls[node.id] = parts

    def _needed(self, node: Node) -> bool:
        """Whether a step reads a node of the encoder otherwise than as keys or values."""
        if node.id not in self.fixed:
            return False
        values = [Value(node.id, port) for port in range(len(node.types))]
        if any(value in self.graph.outputs.values() for value in values):
            return True
        return not all(
            reader.id in self.fixed or self._kind(reader, port) or self._in_call(reader, port)
            for value in values
            for reader, port in self.graph.readers(value)
        )

    def _kind(self, reader: Node, port: int) -> str:
        """What a node reads there if that is keys or values."""
        if not isinstance(reader.what, ScaledDotProductAttention):
            return ""
        return KINDS.get(reader.what.signature.inputs[port].name, "")

    def _in_call(self, reader: Node, port: int) -> bool:
        return reader.id in self.calls and port not in self.calls[reader.id].kept

    def _handed(self) -> Iterator[tuple[Value, str]]:
        """Values of the encoder that attentions of the decoder read, each as what."""
        for node in self.graph:
            if node.id in self.fixed:
                continue
            for port, value in enumerate(node.inputs):
                if value is not None and value.node in self.fixed and self._kind(node, port):
                    yield value, self._kind(node, port)

    def _slot(self, value: Value, kind: str) -> Slot:
        found = replace(self.graph.type(value), optional=True)
        same = [v for v, other in self._handed() if other == kind]
        wish = kind if same[0] == value else f"{kind}_{value.node}"
        return Slot(self.graph.free_id(wish), kind, found)

    def _encoded(self, handed: Mapping[tuple[Value, str], Slot]) -> Iterator[Node]:
        """The encoder's nodes, and those that hand over."""
        for node in self.graph:
            if node.id in self.fixed or self._is_read(node):
                yield node
            elif node.id in self.calls:
                parts = self.calls[node.id]
                yield called(node, parts.encoder, parts.read, parts.slots, ())
        for (value, kind), slot in handed.items():
            id_ = self.graph.free_id(f"hand_{slot.name}")
            inputs, types = (value, Value(slot.name)), (self.graph.type(value),)
            yield Node(id_, HandOver(kind), inputs, types, self.graph[value.node].span)

    def _is_read(self, node: Node) -> bool:
        """Whether a constant is the encoder's too."""
        if node.id not in self.constant:
            return False
        values = (Value(node.id, port) for port in range(len(node.types)))
        readers = [reader for value in values for reader, _ in self.graph.readers(value)]
        return any(r.id in self.fixed or r.id in self.calls or self._is_read(r) for r in readers)

    def _decoded(self, handed: Mapping[tuple[Value, str], Slot]) -> Iterator[Node]:
        """The decoder's nodes, which read what was handed over."""
        for node in self.graph:
            if node.id in self.fixed or isinstance(node.what, Entry):
                continue
            if node.id in self.calls:
                parts = self.calls[node.id]
                yield called(node, parts.decoder, parts.kept, parts.slots, node.types)
                continue
            inputs = [
                Value(handed[value, self._kind(node, port)].name)
                if value is not None and value.node in self.fixed
                else value
                for port, value in enumerate(node.inputs)
            ]
            yield replace(node, inputs=tuple(inputs))


def called(
    node: Node,
    graph: str,
    taken: Sequence[int],
    slots: Sequence[Slot],
    types: tuple[TensorType, ...],
) -> Node:
    """A call of a part of its graph."""
    given = [node.inputs[number] for number in taken]
    own = [Value(slot.around(node.id).name) for slot in slots]
    return replace(node, what=Call(graph), inputs=(*given, *own), types=types)


def used(main: Iterable[Node], graphs: Mapping[str, Graph]) -> dict[str, Graph]:
    """Those of some graphs that a root graph uses, or what it uses."""
    needed = set(_below(main, graphs))
    return {name: graph for name, graph in graphs.items() if name in needed}


def _below(graph: Iterable[Node], graphs: Mapping[str, Graph]) -> Iterator[str]:
    """The names of the graphs that a graph uses, and of those below them."""
    for node in graph:
        match node.what:
            case Call(only) | Scan(graph=only):
                names: tuple[str, ...] = (only,)
            case Repeat(bodies=names):
                pass
            case _:
                continue
        for name in names:
            yield name
            yield from _below(graphs[name], graphs)
