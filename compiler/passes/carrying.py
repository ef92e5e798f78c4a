"""Recurrences of a graph that go on where the last step has left them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from archspec.source.frozen import Frozen
from compiler.ir.graph import Call, Entry, Graph, Node, Rebuild, Repeat, Scan, Value, copied
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import as_poly
from compiler.ir.types import TensorType
from compiler.ops import PastState, PresentState
from compiler.ops.recurrence import AnyRecurrence


class State(Frozen):
    """An input of a graph for what a recurrence carries. `path` says whose it is and which,
    `memory.h`, with `*` for the layer of a stack."""

    name: str
    path: str
    type: TensorType


def ports(node: Node, graphs: Mapping[str, Graph]) -> dict[int, str]:
    """What a node takes over from the step before by the number of its port, the same where it
    comes in and where it goes out."""
    what = node.what
    if isinstance(what, AnyRecurrence):
        names = [port.name for port in what.signature.outputs]
        return {port: name for port, name in enumerate(names) if port}
    if isinstance(what, Scan):
        return dict(enumerate(list(graphs[what.graph].outputs)[: what.carried]))
    return {}


def carry(made: Rebuild, node: Node, names: Mapping[int, str]) -> list[State]:
    """Keep a node whose inputs at some ports are what it gave there at the step before."""
    found = list[State]()
    kept = [None if port in names else value for port, value in enumerate(node.inputs)]
    inputs = list(made.moved(kept))
    for port, name in names.items():
        slot = made.new.free_id(f"{node.id}_{name}", _taken(made))
        kind = replace(node.types[port], optional=True)
        entered = made.new.enter(slot, kind)
        found.append(State(slot, f"{node.id}.{name}", kind))
        id_ = made.new.free_id(f"{node.id}_past_{name}", _taken(made))
        past = Node(id_, PastState(), (entered,), (node.types[port],), node.span)
        (inputs[port],) = made.new.add(past)
    made.keep(replace(node, inputs=tuple(kept)), inputs=tuple(inputs))
    for state, port in zip(found, names, strict=True):
        leave(made, Value(node.id, port), state)
    return found


def _taken(made: Rebuild) -> frozenset[str]:
    """The names that nodes of the new graph may still get."""
    return frozenset(node.id for node in made.old)


def leave(made: Rebuild, value: Value, state: State) -> None:
    """Let a value of the old graph be what a state has become."""
    (moved,) = made.moved([value])
    id_ = made.new.free_id(f"present_{state.name}", _taken(made))
    types, span = (made.old.type(value),), made.old[value.node].span
    made.new.add(Node(id_, PresentState(), (moved, Value(state.name)), types, span))


@dataclass
class Carrying:
    """Lets all recurrences of a program go on, in its layers too; what they start from is zeros."""

    program: Program
    graphs: dict[str, Graph] = field(default_factory=dict)
    states: dict[str, list[State]] = field(default_factory=dict)

    def whole(self) -> tuple[dict[str, Graph], list[State]]:
        """All graphs, and the states of the root graph."""
        for name, graph in self.program.graphs.items():
            made = copied(graph)
            self.states[name] = [state for node in graph for state in self._node(made, node)]
            self.graphs[name] = made.finish()
        return self.graphs, self.states[self.program.root]

    def _node(self, made: Rebuild, node: Node) -> Iterator[State]:
        match node.what:
            case Call(graph):
                yield from self._around(made, node, self.states[graph])
            case Repeat() as repeat:
                yield from self._repeat(made, node, repeat)
            case Operator() | Entry() | Scan():
                yield from carry(made, node, ports(node, self.program.graphs))

    def _around(self, made: Rebuild, node: Node, below: Sequence[State]) -> list[State]:
        found = [self._enter(made, node, state, ".") for state in below]
        own = tuple(Value(state.name) for state in found)
        made.keep(node, inputs=(*made.moved(node.inputs), *own))
        return found

    def _repeat(self, made: Rebuild, node: Node, repeat: Repeat) -> list[State]:
        found, wires, first = list[State](), list[tuple[int, ...]](), len(node.inputs)
        for body, wire in zip(repeat.bodies, repeat.wires, strict=True):
            own = [self._enter(made, node, s, ".*.", repeat.layers) for s in self.states[body]]
            numbers = range(first + len(found), first + len(found) + len(own))
            wires.append((*wire, *numbers))
            found += own
        sliced = (*repeat.sliced, *range(first, first + len(found)))
        inputs = (*made.moved(node.inputs), *(Value(state.name) for state in found))
        made.keep(node, what=replace(repeat, wires=tuple(wires), sliced=sliced), inputs=inputs)
        return found

    def _enter(
        self, made: Rebuild, node: Node, state: State, between: str, layers: int = 0
    ) -> State:
        """The state of a graph that a node uses, as an input of the graph around."""
        shape = (*((as_poly(layers),) if layers else ()), *state.type.shape)
        kind = replace(state.type, shape=shape)
        name = made.new.free_id(f"{node.id}_{state.name}", _taken(made))
        made.new.enter(name, kind)
        return State(name, f"{node.under or node.id}{between}{state.path}", kind)
