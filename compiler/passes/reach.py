"""How far the positions of a program look along an input, layer by layer, from its operators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from archspec.source.frozen import Frozen
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan, Value
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program, join
from compiler.ir.reach import EVERYWHERE, HERE, Reach
from compiler.ir.size import as_poly
from compiler.ir.types import TensorType

STEP = Reach(None, 0, stepwise=True)
UNSEQUENCED = ("batch", "cache")


class Depth(Frozen):
    """An operator that mixes positions, by its full path, and how far its result looks into the
    input through everything below it."""

    path: str
    reach: Reach


def reach(program: Program, name: str) -> tuple[Depth, ...]:
    """How far what mixes positions sees into the input `name`, in the order of execution.

    These are bounds that some position reaches once the sequence is long enough: documents, padding
    and given masks may hide more. Masks say where, not what: nothing is followed through them. A
    result without positions, such as a pool's, looks everywhere.
    """
    walk = Walk(program)
    walk.through(
        program.main,
        [HERE if entry == name else None for entry in program.main.inputs],
        "",
    )
    return tuple(walk.found)


@dataclass
class Walk:
    """Carries reaches along the edges of graphs; None is a value that does not depend on the
    input."""

    program: Program
    found: list[Depth] = field(default_factory=list)

    def through(
        self, graph: Graph, inputs: Sequence[Reach | None], prefix: str
    ) -> list[Reach | None]:
        """The reach of every output of a graph."""
        known = dict(zip(graph.inputs.values(), inputs, strict=True))
        for node in graph:
            if isinstance(node.what, Entry):
                continue
            path = join(prefix, node.under or node.id)
            ins = [None if value is None else known[value] for value in node.inputs]
            outs = self._node(graph, node, ins, path)
            known |= {Value(node.id, port): out for port, out in enumerate(outs)}
        return [known[value] for value in graph.outputs.values()]

    def _node(
        self, graph: Graph, node: Node, ins: Sequence[Reach | None], path: str
    ) -> Sequence[Reach | None]:
        if not any(ins):
            return [None] * len(node.types)
        if isinstance(node.what, Call):
            return self.through(self.program.graphs[node.what.graph], ins, path)
        if isinstance(node.what, Repeat):
            return self._repeat(node, node.what, ins, path)
        if isinstance(node.what, Scan):
            return self._scan(node, node.what, ins, path)
        assert isinstance(node.what, Operator)
        types = graph.types(node.inputs)
        return self._operator(node, node.what, dict(_ports(node.what, ins)), types, path)

    def _operator(
        self,
        node: Node,
        operator: Operator,
        ins: Mapping[str, Reach],
        types: Sequence[TensorType | None],
        path: str,
    ) -> list[Reach | None]:
        key = self.program.key
        own = {port: operator.reach(port, key) for port in ins}
        out = _all(below.then(own[port]) for port, below in ins.items())
        mixes = any(found.mixes for found in own.values())
        if mixes and out is not None:
            self.found.append(Depth(path, out))
        lengthy = any(found is not None and _has_length(found, key) for found in types)
        return [
            None
            if found.element == "bool"
            else EVERYWHERE
            if lengthy and not _has_length(found, key)
            else out
            for found in node.types
        ]

    def _repeat(
        self, node: Node, repeat: Repeat, ins: Sequence[Reach | None], path: str
    ) -> list[Reach | None]:
        carried, *others = ins
        for layer in range(repeat.layers):
            body = layer % len(repeat.bodies)
            given = [(carried, *others)[wire] for wire in repeat.wires[body]]
            graph = self.program.graphs[repeat.bodies[body]]
            carried, *_ = self.through(graph, given, join(path, str(repeat.start + layer)))
        return [carried] * len(node.types)

    def _scan(
        self, node: Node, scan: Scan, ins: Sequence[Reach | None], path: str
    ) -> list[Reach | None]:
        """A step hands its state on; what is the same for all steps is seen as a whole."""
        ends = scan.carried + scan.cut
        steps = _all(below.then(STEP) for below in ins[scan.carried : ends] if below)
        whole = EVERYWHERE if any([*ins[: scan.carried], *ins[ends:]]) else None
        out = _all(found for found in (steps, whole) if found)
        if out is not None:
            self.found.append(Depth(path, out))
        return [EVERYWHERE] * scan.carried + [out] * (len(node.types) - scan.carried)


def _ports(operator: Operator, ins: Sequence[Reach | None]) -> Iterator[tuple[str, Reach]]:
    for port, below in zip(operator.signature.inputs, ins, strict=False):
        if below is not None:
            yield port.name, below


def _all(reaches: Iterator[Reach]) -> Reach | None:
    out: Reach | None = None
    for each in reaches:
        out = each if out is None else out.beside(each)
    return out


def _has_length(found: TensorType, key: Letters) -> bool:
    """Whether a value has an axis whose length is only known when the model runs."""
    letters = (key.key[name] for size in found.shape for name in as_poly(size).letters)
    return any(known.size is None and known.role not in UNSEQUENCED for known in letters)
