"""Keys and values of a source, made once for all steps of a decoder in the module that steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from compiler.ir.graph import Call, Entry, Graph, Node, Rebuild, Repeat, Value, copied
from compiler.ir.methods import ALL, ONE
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ops import HandOver
from compiler.passes.fold import fold
from compiler.passes.keys_apart import Apart, Kept, Layer, Maker, SourceKeys
from compiler.passes.parting import Parting, Parts, Slot, used
from compiler.passes.rename import rename
from compiler.passes.stages import Stages, stages
from compiler.passes.unbounded import unbounded


def written(program: Program) -> Program:
    """The program as its module is written: what only costs ask is gone, equal graphs are one."""
    return fold(rename(unbounded(program)))


def source_keys(program: Program) -> SourceKeys | None:
    """A program as it is written, what its layers make of a source apart.

    None where there is no source, and where layers of a stack are not alike in what they make of
    it: each step makes that again.
    """
    found = stages(program.main, program.grown)
    if found is None or ALL in program.main:
        return None
    return _Taking(program, found).found()


def made_once(program: Program) -> frozenset[str]:
    """The paths of operators that the module of a program runs once for a source, in the layers of
    a decoder: `dec.*.cross.k`."""
    if stages(program.main, program.grown) is None:
        return frozenset()
    found = source_keys(written(program))
    return frozenset() if found is None else found.made


@dataclass
class _Taking:
    """A program on its way to one with keys and values apart."""

    program: Program
    stages: Stages
    parting: Parting = field(init=False)
    parts: dict[str, Parts] = field(init=False, default_factory=dict)
    """Those of graphs in two methods, by their names."""
    makers: dict[str, Apart] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        root = self.program.root
        graphs = {name: graph for name, graph in self.program.graphs.items() if name != root}
        self.parting = Parting(graphs)

    def found(self) -> SourceKeys | None:
        """It, or None."""
        apart = [(node, parts) for node in self.stages.decode if (parts := self._apart(node))]
        kept = {node.id: each for node, parts in apart if (each := self._kept(node, parts))}
        if not kept or len(kept) < len(apart) or self._used_whole(kept):
            return None
        main = self._main(kept)
        encode, decode = (
            [main[node.id] for node in nodes] for nodes in (self.stages.encode, self.stages.decode)
        )
        read = {value for node in decode for value in node.inputs} | set(main.outputs.values())
        crossing = [value for value in self.stages.crossing if value in read]
        steps = {name: self._step(parts) for name, parts in self.parts.items()}
        return SourceKeys(main, Stages(encode, decode, crossing), kept, self.makers, steps)

    def _main(self, kept: Mapping[str, Kept]) -> Graph:
        """The root graph as a step has it."""
        made = copied(self.program.main)
        for node in self.program.main:
            made.keep(kept[node.id].node if node.id in kept else node)
        return made.finish()

    def _used_whole(self, kept: Mapping[str, Kept]) -> bool:
        """Whether something uses a graph in two methods otherwise."""
        names = {name: parts.decoder for name, parts in self.parts.items()}
        nodes = [_named(node, names) if node.id in kept else node for node in self.program.main]
        return not used(nodes, self.parting.decoder).keys().isdisjoint(self.parts)

    def _apart(self, node: Node) -> list[Parts]:
        """The layers of a node; none where they make nothing of the source."""
        source = [value in self.stages.crossing for value in node.inputs]
        found = [
            self.parting.parts(body, [source[at] for at in wire]) for body, wire in _bodies(node)
        ]
        return found if any(each.slots for each in found) else []

    def _kept(self, node: Node, apart: Sequence[Parts]) -> Kept | None:
        """A node with what its layers make of the source, if they are all alike in it."""
        if not self._whole_list(node):
            return None
        wires = (wire for _, wire in _bodies(node))
        first, *others = {
            self._layer(parts, [node.inputs[at] for at in wire])
            for parts, wire in zip(apart, wires, strict=True)
        }
        if others or first is None:
            return None
        return Kept(_taking(node, [parts.kept for parts in apart]), first)

    def _whole_list(self, node: Node) -> bool:
        """Whether the layers are called one by one: a loop over a whole list, or a single one."""
        if not isinstance(node.what, Repeat):
            return True
        under = [each.id for each in self.program.main if each.under == node.id]
        rounds = len(node.what.bodies) > 1 and node.what.times > 1
        return not (node.what.share or rounds or node.under or under)

    def _layer(self, parts: Parts, inputs: Sequence[Value | None]) -> Layer | None:
        """What a layer makes of its inputs, values of the root graph."""
        read = [inputs[at] for at in parts.read]
        makers = self._makers(parts, read) if parts.slots else None
        return None if makers is None else Layer(tuple(makers), len(parts.slots))

    def _makers(self, parts: Parts, read: Sequence[Value | None]) -> list[Maker] | None:
        """The attentions of a graph that make keys and values, if they alone do; `read` are the
        values of the root graph that it makes them of."""
        graph = self.parting.encoder[parts.encoder]
        if self.parts.setdefault(parts.graph, parts) != parts:
            return None
        inner = [node for node in graph if not isinstance(node.what, Entry)]
        if all(isinstance(node.what, Operator) for node in inner):
            return self._one(parts, graph, read)
        values = dict(zip(graph.inputs.values(), read, strict=False))
        found = list[Maker]()
        for node in inner:
            below = self._below(node)
            if below is None:
                return None
            given = node.inputs[: len(below.read)]
            makers = self._makers(below, [None if v is None else values[v] for v in given])
            if makers is None:
                return None
            found += [each.below(node.under or node.id) for each in makers]
        return found

    def _one(self, parts: Parts, graph: Graph, read: Sequence[Value | None]) -> list[Maker] | None:
        """An attention."""
        if ONE in self.parting.graphs[parts.graph] or len(parts.slots) < 2:
            return None
        self.makers[parts.graph] = made = _giving(graph, parts)
        step = self.parting.decoder[parts.decoder]
        ids = [n.id for n in made.graph if isinstance(n.what, Operator) and n.id not in step]
        return [Maker((), tuple(value for value in read if value is not None), tuple(ids))]

    def _below(self, node: Node) -> Parts | None:
        """What was taken apart in a call."""
        return self.parting.found.get(node.what.graph) if isinstance(node.what, Call) else None

    def _step(self, parts: Parts) -> Graph:
        """A graph that takes keys and values, which are always there: `cross_k` for `cross_key`."""
        old = self.parting.decoder[parts.decoder]
        made = Rebuild(old, Graph(parts.graph, old.title, old.span))
        slots = {slot.name: slot for slot in parts.slots}
        for node in old:
            below = self._below(node)
            if node.id in slots:
                name = old.free_id(_short(slots[node.id]))
                types = (replace(node.types[0], optional=False),)
                made.keep(node, id=name, what=Entry(name), types=types)
            else:
                made.keep(node, what=Call(below.graph) if below else node.what)
        return made.finish()


def _bodies(node: Node) -> list[tuple[str, tuple[int, ...]]]:
    """The graphs of a node's layers, and which of its inputs each takes."""
    match node.what:
        case Call(graph):
            return [(graph, tuple(range(len(node.inputs))))]
        case Repeat(bodies=bodies, wires=wires):
            return list(zip(bodies, wires, strict=True))
    return []


def _short(slot: Slot) -> str:
    """The name of a slot with the letter that attentions have for what it holds."""
    above = slot.name.removesuffix(slot.kind)
    return slot.name if above == slot.name else f"{above}{slot.kind[0]}"


def _giving(graph: Graph, parts: Parts) -> Apart:
    """What makes the keys and values that an encoder would hand over."""
    made = Rebuild(graph, Graph(parts.graph, graph.title, graph.span))
    slots, ends = {slot.name for slot in parts.slots}, list[Value | None]()
    for node in graph:
        if isinstance(node.what, HandOver):
            ends += made.moved(node.inputs[:1])
        elif node.id not in slots:
            made.keep(node)
    return Apart(made.new, tuple(filter(None, ends)))


def _taking(node: Node, kept: list[tuple[int, ...]]) -> Node:
    """A node whose layers take some of their inputs."""
    if not isinstance(node.what, Repeat):
        return replace(node, inputs=tuple(node.inputs[at] for at in kept[0]))
    ports = [
        tuple(wire[at] for at in some) for wire, some in zip(node.what.wires, kept, strict=True)
    ]
    cut, numbers = node.what.taking(ports)
    return replace(node, what=cut, inputs=tuple(node.inputs[at] for at in numbers))


def _named(node: Node, names: Mapping[str, str]) -> Node:
    """A node with other names for graphs."""
    match node.what:
        case Call(graph):
            return replace(node, what=Call(names.get(graph, graph)))
        case Repeat(bodies=bodies):
            other = tuple(names.get(body, body) for body in bodies)
            return replace(node, what=replace(node.what, bodies=other))
    return node
