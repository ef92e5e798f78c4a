"""An encoder-decoder as two programs: one runs once for a source, the other at every step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compiler.ir.graph import Call, Graph, Node, Repeat, Value
from compiler.ir.program import Program
from compiler.ir.size import Size, as_poly
from compiler.ir.types import TensorType
from compiler.passes.parting import Parting, Parts, Slot, called, rebuilt, used
from compiler.passes.stages import Stages, stages
from compiler.passes.stages import called as named


def encoder_decoder(program: Program) -> tuple[Program, Program] | None:
    """The programs of the encoder and of the decoder of one with a cache; None for any other.

    The encoder gives what `encode` of the torch source gives. Keys and values of the source are its
    too, made once for each layer of the decoder: both programs have inputs for them, `crossing`.
    """
    found = stages(program.main, program.grown)
    return None if found is None else _Apart(program, found).programs()


class _Apart:
    """A program on its way to two."""

    def __init__(self, program: Program, found: Stages) -> None:
        self.program, self.main, self.found = program, program.main, found
        self.parting = Parting(
            {name: graph for name, graph in program.graphs.items() if name != program.root}
        )
        self.slots: dict[str, Slot] = {}

    def programs(self) -> tuple[Program, Program]:
        """The encoder's and the decoder's."""
        encoder, decoder = list(self.found.encode), list[Node]()
        for node in self.found.decode:
            parts = self._parts(node)
            if any(each.slots for each in parts):
                once_, every = self._both(node, parts)
                encoder.append(once_)
                decoder.append(every)
            else:
                decoder.append(node)
        slots = {Value(name): (name, slot.type) for name, slot in self.slots.items()}
        known = {value: name for name, value in self.main.outputs.items()}
        crossing = {
            value: (
                known.get(value) or named(self.main[value.node], value.port),
                self.main.type(value),
            )
            for value in self.found.crossing
        }
        once, _ = rebuilt(self.main, self.main.name, encoder, slots)
        for value, (name, _) in crossing.items():
            (once.new.outputs[name],) = filter(None, once.moved([value]))
        steps, _ = rebuilt(self.main, self.main.name, decoder, crossing | slots)
        for name, value in self.main.outputs.items():
            if value not in crossing:
                (steps.new.outputs[name],) = filter(None, steps.moved([value]))
        return (
            self._program(once.new, self.parting.encoder, ""),
            self._program(steps.new, self.parting.decoder, self.program.grown),
        )

    def _program(self, main: Graph, graphs: Mapping[str, Graph], grown: str) -> Program:
        return replace(
            self.program,
            graphs={**used(main, graphs), self.program.root: main},
            grown=grown,
            crossing=tuple((name, slot.kind) for name, slot in self.slots.items()),
            gives=tuple(self.main.outputs) if grown else (),
        )

    def _parts(self, node: Node) -> list[Parts]:
        """What the graphs below a node of the decoder become."""
        source = [value in self.found.crossing for value in node.inputs]
        match node.what:
            case Call(graph):
                return [self.parting.parts(graph, source)]
            case Repeat(bodies=bodies, wires=wires):
                each = zip(bodies, wires, strict=True)
                return [
                    self.parting.parts(body, [source[at] for at in wire]) for body, wire in each
                ]
        return []

    def _both(self, node: Node, parts: Sequence[Parts]) -> tuple[Node, Node]:
        """Layers of a decoder as the encoder and as the decoder have them."""
        if isinstance(node.what, Call):
            (each,) = parts
            self._enter(each.slots, node, ())
            return (
                called(node, each.encoder, each.read, each.slots, ()),
                called(node, each.decoder, each.kept, each.slots, node.types),
            )
        assert isinstance(node.what, Repeat)
        encoders = [each.encoder or self._nothing(each.decoder) for each in parts]
        decoders = [each.decoder for each in parts]
        for each in parts:
            self._enter(each.slots, node, (as_poly(node.what.layers),))
        return (
            _repeated(node, node.what, encoders, [(p.read, p.slots) for p in parts], ()),
            _repeated(node, node.what, decoders, [(p.kept, p.slots) for p in parts], node.types),
        )

    def _enter(self, slots: Sequence[Slot], node: Node, layers: tuple[Size, ...]) -> None:
        """The slots of a layer, or of all, as inputs of the root graph."""
        for slot in slots:
            shape = (*layers, *slot.type.shape)
            whole = replace(slot.around(node.id), type=replace(slot.type, shape=shape))
            self.slots[whole.name] = whole

    def _nothing(self, body: str) -> str:
        """A graph of nothing, for layers that read no source."""
        name = self.parting.free(f"{body}.source")
        self.parting.encoder[name] = Graph(name)
        return name


def _repeated(
    node: Node,
    repeat: Repeat,
    bodies: Sequence[str],
    taken: Sequence[tuple[tuple[int, ...], tuple[Slot, ...]]],
    types: tuple[TensorType, ...],
) -> Node:
    """A repeat over parts of its bodies, each of which takes some of its inputs and slots; without
    a result nothing is carried."""
    ports = [
        tuple(wire[at] for at in some) for wire, (some, _) in zip(repeat.wires, taken, strict=True)
    ]
    cut, kept = repeat.taking(ports, (0,) if types else ())
    own = [tuple(slot.around(node.id).name for slot in slots) for _, slots in taken]
    entered = dict.fromkeys(name for names in own for name in names)
    numbers = {name: len(kept) + number for number, name in enumerate(entered)}
    wires = tuple(
        (*wire, *(numbers[name] for name in names))
        for wire, names in zip(cut.wires, own, strict=True)
    )
    sliced = (*cut.sliced, *numbers.values())
    inputs = (*(node.inputs[old] for old in kept), *map(Value, entered))
    what = replace(cut, bodies=tuple(bodies), wires=wires, sliced=sliced)
    return replace(node, what=what, inputs=inputs, types=types)
