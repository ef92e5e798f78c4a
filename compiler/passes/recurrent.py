"""Recurrent models that decode, as what runs at every step: a decoder over a source that is read
once, or a language model."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from compiler.ir.graph import Graph, Node, Rebuild, Scan, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.reach import HERE
from compiler.ops import Embedding
from compiler.ops.recurrence import AnyRecurrence
from compiler.passes.carrying import Carrying, State, carry, leave, ports
from compiler.passes.logits import scores
from compiler.passes.parting import rebuilt, used
from compiler.passes.stages import Stages, stages
from compiler.passes.stages import called as named


def recurrent(program: Program) -> tuple[Program, Program] | None:
    """The programs of an encoder and of a recurrence that decodes over it; None for any other.

    The encoder gives the states that the decoder starts from and what else of a source `encode` of
    the torch source gives; the decoder takes its states and gives those behind its last position.
    """
    found = stages(program.main, program.stepped)
    starts = {end: start for start, end in program.states}
    if found is None or not set(starts.values()) <= set(found.crossing):
        return None
    main = program.main
    read = {
        value
        for node in found.decode
        for port, value in enumerate(node.inputs)
        if Value(node.id, port) not in starts
    } | set(main.outputs.values())
    known = {value: name for name, value in main.outputs.items()}
    crossing = {
        value: known.get(value) or named(main[value.node], value.port)
        for value in found.crossing
        if value in read
    }
    once, _ = rebuilt(main, main.name, found.encode, {})
    for value, name in crossing.items():
        (once.new.outputs[name],) = filter(None, once.moved([value]))
    steps, states = _steps(program, found, crossing)
    for end, state in states.items():
        once.new.enter(state.name, state.type)
        leave(once, starts[end], state)
    carried = tuple((state.name, state.path) for state in states.values())
    return (
        _program(program, once.new, carried, ""),
        _program(program, steps, carried, program.stepped),
    )


def _steps(
    program: Program, found: Stages, crossing: Mapping[Value, str]
) -> tuple[Graph, dict[Value, State]]:
    """The decoder's graph, and its states by the values that they become."""
    main, states = program.main, dict[Value, State]()
    made = Rebuild(main, Graph(main.name, main.title, main.span))
    read = {value for node in found.decode for value in node.inputs} | set(main.outputs.values())
    for value in filter(read.__contains__, main.inputs.values()):
        made.keep(main[value.node])
    for value, name in crossing.items():
        made.values[value] = made.new.enter(name, main.type(value))
    for node in found.decode:
        names = ports(node, program.graphs)
        ends = (Value(node.id, port) for port in names)
        states.update(zip(ends, carry(made, node, names), strict=True))
    for name, value in main.outputs.items():
        if value not in crossing:
            (made.new.outputs[name],) = filter(None, made.moved([value]))
    return made.new, states


def _program(
    program: Program, main: Graph, carried: tuple[tuple[str, str], ...], grown: str
) -> Program:
    return replace(
        program,
        graphs={**used(main, program.graphs), program.root: main},
        grown=grown,
        stepped="",
        states=(),
        carried=carried,
        gives=tuple(program.main.outputs) if grown else (),
    )


def resumed(program: Program) -> Program | None:
    """A recurrent language model that takes its states and gives those behind its last position;
    None for any other.

    It reads ids and nothing else, gives logits of the vocabulary that it reads, and apart from its
    recurrences every node works on each position by itself.
    """
    ids = _read(program)
    if not ids:
        return None
    graphs, states = Carrying(program).whole()
    carried = tuple((state.name, state.path) for state in states)
    return replace(program, graphs=graphs, grown=ids, carried=carried)


def _read(program: Program) -> str:
    """The only input, of ids, that a recurrent language model reads step by step."""
    main, nodes = program.main, [node for graph in program.graphs.values() for node in graph]
    ids, *others = main.inputs
    found = main.type(main.inputs[ids])
    if others or found.element != "int" or len(found.shape) != 2:
        return ""
    if not any(isinstance(node.what, AnyRecurrence) for node in nodes):
        return ""
    shapes = [main.type(value).shape for value in main.outputs.values()]
    rows = {program.key.fix(n.what.V) for n in nodes if isinstance(n.what, Embedding)}
    logits = any(program.key.fix(size) in rows for size in scores(program).values())
    along = all(shape[:2] == found.shape for shape in shapes)
    return ids if logits and along and all(map(partial(_goes_on, program), nodes)) else ""


def _goes_on(program: Program, node: Node) -> bool:
    """Whether a node needs no earlier position, or what a state tells of them alone."""
    what = node.what
    if isinstance(what, AnyRecurrence):
        return what.ways == 1 and not any(node.inputs[1:])
    if isinstance(what, Operator):
        reaches = (what.reach(port.name, program.key) for port in what.signature.inputs)
        return not what.ordered and all(reach == HERE for reach in reaches)
    return not isinstance(what, Scan)
