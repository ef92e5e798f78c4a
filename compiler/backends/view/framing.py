"""From a program to frames: a frame a component, repeats folded or drawn layer by layer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from archspec.source.frozen import Frozen
from compiler.backends.view.picture import TIMES, Box, Frame, Outlet, Part, Wire
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program, join, layer_mark, layers
from compiler.ir.size import text
from compiler.ir.types import TensorType

Made: TypeAlias = tuple[list[Part], list[Wire], list[Outlet]]
"""Parts and wires that a node becomes, and where its outputs are."""


def framed(program: Program, *, expand: bool = False) -> Frame:
    """The model as a frame, its inputs and outputs boxes; with `expand`, every layer is drawn."""
    main = program.main
    inside = Framing(program, expand).frame(main, "", program.name)
    ends = [Box(f"output {name}", name, "output") for name in main.outputs]
    wires = [
        _wire(outlet, end.id, 0, main.type(value))
        for end, outlet, value in zip(ends, inside.outputs, main.outputs.values(), strict=True)
    ]
    parts = (*(_as_input(part) for part in inside.parts), *ends)
    return Frame("", program.name, parts, (*inside.wires, *wires), inside.ports, ())


def shape(found: TensorType) -> str:
    """Dimensions as letters: `B T D`."""
    return " ".join(text(size, "·").replace(" ", "") for size in found.shape)


class Framing(Frozen):
    """Makes the frames of one program."""

    program: Program
    expand: bool

    def frame(self, graph: Graph, path: str, title: str, times: int = 1) -> Frame:
        """A graph as a frame; ids inside begin with `path`."""
        parts: list[Part] = []
        wires: list[Wire] = []
        outlets: dict[Value, Outlet] = {}
        for node in graph:
            made, inner, out = self._made(graph, node, join(path, node.id), outlets)
            parts += made
            wires += inner
            outlets |= {Value(node.id, port): outlet for port, outlet in enumerate(out)}
        ports = tuple(join(path, node.id) for node in graph if isinstance(node.what, Entry))
        ends = tuple(outlets[value] for value in graph.outputs.values())
        return Frame(path, title, tuple(parts), tuple(wires), ports, ends, times)

    def _made(self, graph: Graph, node: Node, id_: str, outlets: Mapping[Value, Outlet]) -> Made:
        what = node.what
        sources = [None if value is None else outlets[value] for value in node.inputs]
        types = graph.types(node.inputs)
        if isinstance(what, Repeat):
            return self._repeated(node, what, id_, sources, types)
        if isinstance(what, Entry):
            part: Part = Box(id_, node.id, "port")
        elif isinstance(what, Call):
            called = self.program.graphs[what.graph]
            part = self.frame(called, id_, titled(node.id, called))
        elif isinstance(what, Scan):
            body = self.program.graphs[what.graph]
            title = f"{node.id} {TIMES} {text(what.times)}"
            part = self.frame(body, id_, title)
        else:
            note = _described(what, graph, node, self.program)
            part = Box(id_, node.id, "operator", note, type(what).__name__)
        wires = list(_wires(sources, id_, types))
        return [part], wires, [Outlet(id_, port) for port in range(len(node.types))]

    def _repeated(
        self,
        node: Node,
        repeat: Repeat,
        id_: str,
        sources: Sequence[Outlet | None],
        types: Sequence[TensorType | None],
    ) -> Made:
        name = node.under or node.id
        if self.expand:
            every = [(f"{name}.{index}", index, body) for index, body in layers(repeat)]
            return self._chain(repeat, id_, every, sources)
        if len(repeat.bodies) == 1:
            body = self.program.graphs[repeat.bodies[0]]
            part_only = repeat.times == 1 or bool(node.under)
            title = f"{name}.{layer_mark(repeat, 0)}" if part_only else name
            frame = self.frame(body, id_, titled(title, body), repeat.times)
            order = repeat.wires[0]
            wires = _wires([sources[i] for i in order], id_, [types[i] for i in order])
            return [frame], list(wires), [Outlet(id_, 0)]
        ports = [
            Box(f"{id_}.port {i}", _port_name(self.program, repeat, i), "port")
            for i in range(len(types))
        ]
        marks = [
            (f"{name}.{layer_mark(repeat, offset)}", offset, body)
            for offset, body in enumerate(repeat.bodies)
        ]
        parts, wires_inside, ends = self._chain(
            repeat, id_, marks, [Outlet(port.id, 0) for port in ports]
        )
        frame = Frame(
            id_,
            name,
            (*ports, *parts),
            tuple(wires_inside),
            tuple(p.id for p in ports),
            tuple(ends),
            repeat.times,
        )
        return [frame], list(_wires(sources, id_, types)), [Outlet(id_, 0)]

    def _chain(
        self,
        repeat: Repeat,
        id_: str,
        bodies: Sequence[tuple[str, int, str]],
        sources: Sequence[Outlet | None],
    ) -> Made:
        """Layers one after the other; the first input goes from layer to layer."""
        parts: list[Part] = []
        wires: list[Wire] = []
        carried = sources[0]
        for title, index, name in bodies:
            body = self.program.graphs[name]
            inner = f"{id_}.{index}"
            parts.append(self.frame(body, inner, titled(title, body)))
            order = repeat.wires[repeat.bodies.index(name)]
            taken = [carried if i == 0 else sources[i] for i in order]
            wires += _wires(taken, inner, body.types(body.inputs.values()))
            carried = Outlet(inner, 0)
        assert carried is not None
        return parts, wires, [carried]


def _wires(
    sources: Sequence[Outlet | None], target: str, types: Sequence[TensorType | None]
) -> Iterator[Wire]:
    for slot, (source, found) in enumerate(zip(sources, types, strict=True)):
        if source is not None and found is not None:
            yield _wire(source, target, slot, found)


def _wire(source: Outlet, target: str, slot: int, found: TensorType) -> Wire:
    return Wire(source, target, slot, shape(found), found.optional)


def titled(name: str, graph: Graph) -> str:
    """A name with what its graph is called, where that says more."""
    return f"{name}: {graph.title}" if graph.title and graph.title != name else name


def _described(operator: Operator, graph: Graph, node: Node, program: Program) -> str:
    name = type(operator).__name__
    parameters = operator.parameters(graph.types(node.inputs), program.key)
    if not parameters:
        return name
    first = next(iter(parameters.values()))
    return f"{name} {f' {TIMES} '.join(text(size, '·').replace(' ', '') for size in first.shape)}"


def _port_name(program: Program, repeat: Repeat, index: int) -> str:
    """What the first body that takes an input of a repeat calls it."""
    for body, order in zip(repeat.bodies, repeat.wires, strict=True):
        if index in order:
            return list(program.graphs[body].inputs)[order.index(index)]
    return str(index)


def _as_input(part: Part) -> Part:
    if isinstance(part, Box) and part.kind == "port":
        return Box(part.id, part.title, "input")
    return part
