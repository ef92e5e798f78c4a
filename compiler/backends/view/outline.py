"""The outline of a program: a box a component, with what it costs; repeats folded.

Left out is what costs nothing and joins nothing: masks, rotations, caches, reshapes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from archspec.source.frozen import Frozen
from compiler.backends.view.framing import shape, titled
from compiler.backends.view.picture import TIMES, Box, Frame, Outlet, Part, Wire
from compiler.backends.view.residual import Residual, residual
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program, join, layer_mark
from compiler.ir.size import as_poly, text
from compiler.ir.types import TensorType
from compiler.ops import SharedEmbedding


class Load(Frozen):
    """What a box costs: words for its second line and its part of the work, of 1000; `key` is for
    whoever changes them later."""

    words: str
    share: int
    key: str = ""


Loads: TypeAlias = Callable[[str, Sequence[str]], Load | None]
"""The load of all operators below a path but those below some others; None where they have none."""
Stream: TypeAlias = tuple[tuple[Outlet, str], ...]
NONE: Final[Stream] = ()


def outline(program: Program, loads: Loads) -> Frame:
    """The model as a frame of components."""
    main = program.main
    plan = _Plan(program, loads, "")
    plan.enter(main, [True] * len(main.inputs), "input")
    plan.fill(main, "")
    for name, value in main.outputs.items():
        plan.put(Box(f"output {name}", name, "output"), [plan.values[value]])
    return plan.frame(program.name, 1, ())


@dataclass
class _Plan:
    """A frame in the making: `values` says where each value of its graph comes from."""

    program: Program
    loads: Loads
    id: str
    parts: list[Part] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    values: dict[Value, Stream] = field(default_factory=dict)
    ports: list[str] = field(default_factory=list)

    def enter(self, graph: Graph, fed: Sequence[bool], kind: str = "port") -> None:
        """Boxes for the inputs that are fed."""
        entries = [node for node in graph if isinstance(node.what, Entry)]
        for node, comes in zip(entries, fed, strict=True):
            id_ = join(self.id, node.id)
            self.ports.append(id_)
            self.values[Value(node.id)] = NONE
            if comes and _drawn(node.types[0]):
                self.parts.append(Box(id_, node.id, "input" if kind == "input" else "port"))
                self.values[Value(node.id)] = ((Outlet(id_, 0), shape(node.types[0])),)

    def fill(self, graph: Graph, path: str) -> None:
        """Everything else of a graph whose operators stand below `path`."""
        for node in graph:
            if isinstance(node.what, Entry):
                continue
            streams = [NONE if v is None else self.values[v] for v in node.inputs]
            made = self._made(graph, node, join(path, node.under or node.id), streams)
            for port, found in enumerate(node.types):
                kept = made if len(made) != len(node.types) else (made[port],)
                self.values[Value(node.id, port)] = kept if _drawn(found) else NONE

    def put(self, part: Part, streams: Sequence[Stream], slots: Sequence[int] = ()) -> None:
        """Add a part and its wires, one from each place; `slots` are those of a frame's ports."""
        self.parts.append(part)
        for slot, stream in zip(slots or range(len(streams)), streams, strict=True):
            for outlet, label in stream:
                if all((w.source, w.target) != (outlet, part.id) for w in self.wires):
                    self.wires.append(Wire(outlet, part.id, slot, label))

    def frame(self, title: str, times: int, outputs: Sequence[Stream]) -> Frame:
        """What was made, without inputs that nothing reads."""
        ends = tuple(stream[0][0] for stream in outputs)
        read = {wire.source.part for wire in self.wires} | {end.part for end in ends}
        parts = [
            p for p in self.parts if not isinstance(p, Box) or p.kind not in UNREAD or p.id in read
        ]
        here = {part.id for part in parts}
        self.ports = [port if port in here else "" for port in self.ports]
        ports = tuple(filter(None, self.ports))
        return Frame(self.id, title, tuple(parts), tuple(self.wires), ports, ends, times)

    def _made(self, graph: Graph, node: Node, path: str, streams: Sequence[Stream]) -> Stream:
        """Where the outputs of a node come from, one for each port."""
        what, id_ = node.what, join(self.id, node.id)
        if isinstance(what, Repeat):
            return self._repeated(node, what, path, streams)
        if isinstance(what, Call):
            called = self.program.graphs[what.graph]
            if any(isinstance(inner.what, Repeat) for inner in called):
                return self._framed(called, id_, path, titled(node.id, called), 1, streams)
            if found := residual(called):
                return self._around(found, called, id_, path, streams)
            return self._box(id_, titled(node.id, called), path, node.types, streams)
        if isinstance(what, Scan):
            title = f"{node.id} {TIMES} {text(what.times)}"
            return self._box(id_, title, path, node.types, streams)
        assert isinstance(what, Operator)
        sources = tuple(dict.fromkeys(each for stream in streams for each in stream))
        if self.loads(path, ()) is None and not self._joins(what, sources):
            return sources if self._by_row(node) else NONE
        return self._box(id_, node.id, path, node.types, streams, type(what).__name__)

    def _joins(self, what: Operator, sources: Stream) -> bool:
        """Whether an operator is drawn though it costs nothing."""
        return isinstance(what, SharedEmbedding) or len({outlet for outlet, _ in sources}) > 1

    def _by_row(self, node: Node) -> bool:
        """Whether a value differs by the rows of a batch; angles and distances do not."""
        key = self.program.key.key
        batches = {name for name, known in key.items() if known.role == "batch"}
        shapes = (as_poly(size) for found in node.types for size in found.shape)
        return any(batches & size.letters for size in shapes) or not batches

    def _box(
        self,
        id_: str,
        title: str,
        path: str,
        types: Sequence[TensorType],
        streams: Sequence[Stream],
        family: str = "",
        without: Sequence[str] = (),
    ) -> Stream:
        load = self.loads(path, without)
        note = load.words if load else family
        box = Box(
            id_,
            title,
            "operator",
            note,
            family,
            load.share if load else 0,
            load.key if load else "",
        )
        self.put(box, streams)
        return tuple((Outlet(id_, port), shape(found)) for port, found in enumerate(types))

    def _around(
        self, found: Residual, called: Graph, id_: str, path: str, streams: Sequence[Stream]
    ) -> Stream:
        """A component between its norm and the addition of its own input."""
        first, *rest = streams
        around = [join(path, name) for name in (*found.before, found.add, *found.behind)]
        through = [first]
        for name in found.before:
            node = called[name]
            through = [
                self._box(
                    join(id_, name), name, join(path, name), node.types, through, _family(node)
                )
            ]
        core = titled(id_.rpartition(".")[2], called)
        types = called[found.add].types
        out = self._box(id_, core, path, types, [*through, *rest], "", around)
        plus = Box(join(id_, found.add), "+", "operator")
        self.put(plus, [first, out])
        stream: Stream = ((Outlet(plus.id, 0), shape(types[0])),)
        for name in found.behind:
            node = called[name]
            stream = self._box(
                join(id_, name), name, join(path, name), node.types, [stream], _family(node)
            )
        return stream

    def _repeated(self, node: Node, repeat: Repeat, path: str, streams: Sequence[Stream]) -> Stream:
        name, id_ = node.under or node.id, join(self.id, node.id)
        marks = [f"{path}.{layer_mark(repeat, offset)}" for offset in range(len(repeat.bodies))]
        if len(repeat.bodies) == 1:
            body = self.program.graphs[repeat.bodies[0]]
            alone = repeat.times == 1 or bool(node.under)
            title = titled(f"{name}.{layer_mark(repeat, 0)}" if alone else name, body)
            order = [streams[i] for i in repeat.wires[0]]
            return self._framed(body, id_, marks[0], title, repeat.times, order)
        plan = _Plan(self.program, self.loads, id_)
        for index, stream in enumerate(streams):
            port = Box(f"{id_}.port {index}", _port(self.program, repeat, index), "port")
            plan.ports.append(port.id)
            if stream:
                plan.parts.append(port)
                plan.values[Value(port.id)] = ((Outlet(port.id, 0), stream[0][1]),)
        carried = plan.values.get(Value(f"{id_}.port 0"), NONE)
        for offset, body_name in enumerate(repeat.bodies):
            body = self.program.graphs[body_name]
            order = [
                carried if i == 0 else plan.values.get(Value(f"{id_}.port {i}"), NONE)
                for i in repeat.wires[offset]
            ]
            mark = marks[offset]
            inner = f"{id_}.{offset}"
            short = f"{name}.{layer_mark(repeat, offset)}"
            carried = plan._framed(body, inner, mark, titled(short, body), 1, order)
        made = plan.frame(name, repeat.times, [carried])
        self._place(made, plan.ports, streams)
        return ((Outlet(id_, 0), carried[0][1]),)

    def _framed(
        self,
        graph: Graph,
        id_: str,
        path: str,
        title: str,
        times: int,
        streams: Sequence[Stream],
    ) -> Stream:
        inside = _Plan(self.program, self.loads, id_)
        inside.enter(graph, _fed(streams))
        inside.fill(graph, path)
        outputs = [inside.values[value] for value in graph.outputs.values()]
        made = inside.frame(title, times, [out for out in outputs if out])
        self._place(made, inside.ports, streams)
        labels = [out[0][1] for out in outputs if out]
        return tuple((Outlet(id_, port), label) for port, label in enumerate(labels))

    def _place(self, made: Frame, ports: Sequence[str], streams: Sequence[Stream]) -> None:
        """A frame with a wire to each port that is left."""
        kept = [stream[:1] for port, stream in zip(ports, streams, strict=True) if port]
        self.put(made, kept)


UNREAD: Final = ("input", "port")


def _drawn(found: TensorType) -> bool:
    """Whether a value is more than a mask, a number or the cache of a decoder."""
    return found.element != "bool" and bool(found.shape) and not found.optional


def _fed(streams: Sequence[Stream]) -> list[bool]:
    """Which inputs come from a place that no input before them comes from."""
    seen: set[Outlet] = set()
    found = []
    for stream in streams:
        found.append(bool(stream) and stream[0][0] not in seen)
        seen |= {outlet for outlet, _ in stream}
    return found


def _family(node: Node) -> str:
    return type(node.what).__name__


def _port(program: Program, repeat: Repeat, index: int) -> str:
    for body, order in zip(repeat.bodies, repeat.wires, strict=True):
        if index in order:
            return list(program.graphs[body].inputs)[order.index(index)]
    return str(index)
