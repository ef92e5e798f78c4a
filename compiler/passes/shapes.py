"""Shapes: work out every type again from the inputs and hold it against what the graph says."""

from collections.abc import Sequence

from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import Size
from compiler.ir.types import TensorType


def shapes(program: Program) -> Program:
    """The same program. Raises ValueError, which is a bug of the pass before, where a type does not
    follow."""
    for graph in program.graphs.values():
        for node in graph:
            expected = _types(program, graph, node)
            if not _same(expected, node.types, program.key):
                said, found = (", ".join(map(str, types)) for types in (node.types, expected))
                raise ValueError(f"{graph.name}.{node.id} is said to be {said} and is {found}")
    return program


def _types(program: Program, graph: Graph, node: Node) -> tuple[TensorType, ...]:
    inputs = graph.types(node.inputs)
    match node.what:
        case Entry():
            return node.types
        case Operator() as operator:
            return operator.infer(inputs, program.key)
        case Call(name):
            _fits(program, name, inputs, node)
            return _outputs(program.graphs[name])
        case Scan() as scan:
            return _scanned(program, node, scan, inputs)
        case Repeat() as repeat:
            for body, wires in zip(repeat.bodies, repeat.wires, strict=True):
                passed = [inputs[port] for port in wires]
                cut = [
                    _slice(found) if port in repeat.sliced else found
                    for port, found in zip(wires, passed, strict=True)
                ]
                _fits(program, body, cut, node)
            return _outputs(program.graphs[repeat.bodies[-1]])


def _scanned(
    program: Program, node: Node, scan: Scan, inputs: tuple[TensorType | None, ...]
) -> tuple[TensorType, ...]:
    """The types of a scan: its states as they came, a time axis in what is stacked."""
    ahead = scan.carried + scan.cut
    cut = [_without_time(found) for found in inputs[scan.carried : ahead]]
    _fits(program, scan.graph, [*inputs[: scan.carried], *cut, *inputs[ahead:]], node)
    made = _outputs(program.graphs[scan.graph])
    carried = [found for found in inputs[: scan.carried] if found is not None]
    if not _same(made[: scan.carried], carried, program.key):
        raise ValueError(f"{node.id} does not give back the states that it takes")
    stacked = [_with_time(found, scan.times) for found in made[scan.carried :]]
    return (*made[: scan.carried], *stacked)


def _without_time(found: TensorType | None) -> TensorType | None:
    return found and TensorType(found.element, (found.shape[0], *found.shape[2:]))


def _with_time(found: TensorType, times: Size) -> TensorType:
    return TensorType(found.element, (found.shape[0], times, *found.shape[1:]))


def _outputs(graph: Graph) -> tuple[TensorType, ...]:
    return tuple(graph.type(value) for value in graph.outputs.values())


def _slice(found: TensorType | None) -> TensorType | None:
    return found and TensorType(found.element, found.shape[1:], found.optional)


def _fits(
    program: Program,
    name: str,
    passed: "tuple[TensorType | None, ...] | list[TensorType | None]",
    node: Node,
) -> None:
    wanted = [program.graphs[name].type(value) for value in program.graphs[name].inputs.values()]
    given = [found for found in passed if found is not None]
    if not _same(wanted, given, program.key):
        passing, taking = (", ".join(map(str, types)) for types in (given, wanted))
        raise ValueError(f"{node.id} passes {passing} to {name}, which takes {taking}")


def _same(one: Sequence[TensorType], other: Sequence[TensorType], key: Letters) -> bool:
    """Whether types are the same, at the latest when sizes that are known are put in."""
    return tuple(one) == tuple(other) or _fixed(one, key) == _fixed(other, key)


def _fixed(types: Sequence[TensorType], key: Letters) -> list[tuple[object, ...]]:
    return [(t.element, t.optional, *(key.fix(size) for size in t.shape)) for t in types]
