"""Keys and values of a source, made once for all steps of a decoder in the module that steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from archspec.source.frozen import Frozen
from compiler.ir.graph import Call, Entry, Graph, Node, Rebuild, Repeat, Value, copied
from compiler.ir.methods import ALL, ONE
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ops import HandOver
from compiler.passes.fold import fold
from compiler.passes.parting import Parting, Parts, Slot, used
from compiler.passes.rename import rename
from compiler.passes.stages import Stages, stages
from compiler.passes.unbounded import unbounded


class Making(Frozen):
    """An attention that makes keys and values.

    Attributes:
        path: of ids, from a layer down to it; empty where it is the layer.
        read: what it makes them of, as numbers of the layer's inputs.
        made: the paths of its operators that do.
    """

    path: tuple[str, ...]
    read: tuple[int, ...]
    made: tuple[str, ...]

    def below(self, id_: str, read: tuple[int, ...]) -> "Making":
        """The same from a graph that calls the layer, and makes them of `read` of its inputs."""
        return Making((id_, *self.path), read, tuple(f"{id_}.{path}" for path in self.made))


class Maker(Frozen):
    """An attention by its `path` below a layer, and the values of the root graph that it reads."""

    path: tuple[str, ...]
    read: tuple[Value, ...]


class Apart(Frozen):
    """What makes keys and values in an attention: a graph that ends with them."""

    graph: Graph
    ends: tuple[Value, ...]


class Layer(Frozen):
    """What a layer makes: its attentions, the paths of the operators that only they need, and how
    many tensors it is given instead."""

    makers: tuple[Maker, ...]
    made: tuple[str, ...]
    count: int


class Kept(Frozen):
    """A node of the decoder, as a step has it, whose layers are all alike."""

    node: Node
    layer: Layer


class SourceKeys(Frozen):
    """A program whose decoder is given the keys and values of its source.

    Attributes:
        main: the root graph, whose decoder does not read what they are made of.
        stages: its two stages; what crosses between them is what a step reads beside.
        kept: nodes of the decoder by their ids.
        makers: what makes keys and values alone, by the names of the graphs of attentions.
        steps: graphs with all but that, which take keys and values behind their other inputs.
    """

    main: Graph
    stages: Stages
    kept: dict[str, Kept]
    makers: dict[str, Apart]
    steps: dict[str, Graph]

    @property
    def read(self) -> list[Value]:
        """What keys and values are made of."""
        makers = (maker for kept in self.kept.values() for maker in kept.layer.makers)
        return list(dict.fromkeys(value for maker in makers for value in maker.read))

    @property
    def encoded(self) -> list[Value]:
        """What the encoder gives: what keys and values are made of, then what else crosses."""
        return list(dict.fromkeys([*self.read, *self.stages.crossing]))

    @property
    def made(self) -> frozenset[str]:
        """The operators that make them, by paths with `*` for a layer: `dec.*.cross.k`."""
        found = set[str]()
        for id_, kept in self.kept.items():
            above = f"{id_}.*" if isinstance(kept.node.what, Repeat) else id_
            found |= {f"{above}.{path}" for path in kept.layer.made}
        return frozenset(found)


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
    irregular: bool = False

    def __post_init__(self) -> None:
        root = self.program.root
        graphs = {name: graph for name, graph in self.program.graphs.items() if name != root}
        self.parting = Parting(graphs)

    def found(self) -> SourceKeys | None:
        """It, or None."""
        tries = {node.id: self._kept(node) for node in self.stages.decode}
        kept = {id_: each for id_, each in tries.items() if each is not None}
        if self.irregular or not kept or self._used_whole(kept):
            return None
        main = self._main(kept, {})
        encode, decode = (
            [main[node.id] for node in nodes] for nodes in (self.stages.encode, self.stages.decode)
        )
        read = {value for node in decode for value in node.inputs} | set(main.outputs.values())
        crossing = [value for value in self.stages.crossing if value in read]
        steps = {name: self._step(parts) for name, parts in self.parts.items()}
        return SourceKeys(main, Stages(encode, decode, crossing), kept, self.makers, steps)

    def _main(self, kept: Mapping[str, Kept], names: Mapping[str, str]) -> Graph:
        """The root graph as a step has it, with other names for the graphs of its layers."""
        made = copied(self.program.main)
        for node in self.program.main:
            made.keep(_named(kept[node.id].node, names) if node.id in kept else node)
        return made.finish()

    def _used_whole(self, kept: Mapping[str, Kept]) -> bool:
        """Whether something uses a graph in two methods otherwise."""
        names = {name: parts.decoder for name, parts in self.parts.items()}
        return not used(self._main(kept, names), self.parting.decoder).keys().isdisjoint(self.parts)

    def _kept(self, node: Node) -> Kept | None:
        """A node whose layers are all alike in what they make of the source."""
        match node.what:
            case Call(graph):
                bodies, wires = (graph,), (tuple(range(len(node.inputs))),)
            case Repeat(bodies=bodies, wires=wires):
                pass
            case _:
                return None
        source = [value in self.stages.crossing for value in node.inputs]
        parts = [
            self.parting.parts(body, [source[at] for at in wire])
            for body, wire in zip(bodies, wires, strict=True)
        ]
        if not any(each.slots for each in parts):
            return None
        found = {self._layer(each, node, wire) for each, wire in zip(parts, wires, strict=True)}
        first = found.pop()
        if found or first is None or not self._whole_list(node):
            self.irregular = True
            return None
        return Kept(_taking(node, [each.kept for each in parts]), first)

    def _whole_list(self, node: Node) -> bool:
        """Whether the layers are called one by one: a loop over a whole list, or a single one."""
        if not isinstance(node.what, Repeat):
            return True
        under = [each.id for each in self.program.main if each.under == node.id]
        rounds = len(node.what.bodies) > 1 and node.what.times > 1
        return not (node.what.share or rounds or node.under or under)

    def _layer(self, parts: Parts, node: Node, wire: tuple[int, ...]) -> Layer | None:
        """What a layer makes, of values of the root graph."""
        makings = self._makings(parts) if parts.slots else None
        if makings is None:
            return None
        inputs = [node.inputs[at] for at in wire]
        makers = (
            Maker(each.path, tuple(v for at in each.read if (v := inputs[at]) is not None))
            for each in makings
        )
        made = (path for each in makings for path in each.made)
        return Layer(tuple(makers), tuple(made), len(parts.slots))

    def _makings(self, parts: Parts) -> list[Making] | None:
        """The attentions of a graph that make keys and values, if they alone do."""
        graph = self.parting.encoder[parts.encoder]
        if self.parts.setdefault(parts.graph, parts) != parts:
            return None
        inner = [node for node in graph if not isinstance(node.what, Entry)]
        if all(isinstance(node.what, Operator) for node in inner):
            return self._one(parts, graph)
        numbers = dict(zip(graph.inputs.values(), parts.read, strict=False))
        found = list[Making]()
        for node in inner:
            below = self._below(node)
            makings = self._makings(below) if below else None
            if below is None or makings is None:
                return None
            given = dict(zip(below.read, node.inputs, strict=False))
            for each in makings:
                read = tuple(numbers[v] for v in map(given.get, each.read) if v is not None)
                found.append(each.below(node.under or node.id, read))
        return found

    def _one(self, parts: Parts, graph: Graph) -> list[Making] | None:
        """An attention."""
        if ONE in self.parting.graphs[parts.graph] or len(parts.slots) < 2:
            return None
        self.makers[parts.graph] = made = _giving(graph, parts)
        step = self.parting.decoder[parts.decoder]
        ids = [n.id for n in made.graph if isinstance(n.what, Operator) and n.id not in step]
        return [Making((), parts.read, tuple(ids))]

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
