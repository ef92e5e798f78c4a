"""Where gradients go: for every operator of the folded program, which of its inputs depend on
weights, and how often it runs that way."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from archspec.source.frozen import Frozen
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program, join, layer_mark
from compiler.ir.size import Poly, as_poly
from compiler.ops import Borrow


class Flow(Frozen):
    """`count` runs of an operator in which gradients go to the inputs `moved`."""

    moved: frozenset[str]
    count: Poly


def gradients(program: Program) -> dict[str, tuple[Flow, ...]]:
    """The flows through every operator by its path, as `Program.places` says it.

    A first layer over given vectors has no gradient to hand on, where its followers have.
    """
    walk = _Walk(program)
    walk.graph(program.main, "", [False] * len(program.main.inputs), as_poly(1))
    return {
        path: tuple(Flow(moved, count) for moved, count in flows.items())
        for path, flows in walk.found.items()
    }


@dataclass
class _Walk:
    program: Program
    found: dict[str, dict[frozenset[str], Poly]] = field(default_factory=dict)

    def graph(
        self, graph: Graph, path: str, inputs: Sequence[bool], count: Poly | None
    ) -> list[bool]:
        """Which outputs depend on weights; notes `count` runs of everything inside."""
        known: dict[Value, bool] = dict(zip(graph.inputs.values(), inputs, strict=True))
        for node in graph:
            if not isinstance(node.what, Entry):
                read = count if count is None or graph.is_read(node) else as_poly(0)
                here = join(path, node.under or node.id)
                given = [value is not None and known[value] for value in node.inputs]
                moved = self.node(graph, node, here, given, read)
                known |= {
                    Value(node.id, port): found and kind.element == "float"
                    for port, (found, kind) in enumerate(zip(moved, node.types, strict=True))
                }
        return [known[value] for value in graph.outputs.values()]

    def node(
        self, graph: Graph, node: Node, path: str, given: list[bool], count: Poly | None
    ) -> list[bool]:
        """Which outputs of a node depend on weights."""
        what = node.what
        if isinstance(what, Call):
            return self.graph(self.program.graphs[what.graph], path, given, count)
        if isinstance(what, Repeat):
            return self.repeat(what, path, given, count)
        if isinstance(what, Scan):
            return self.scan(what, path, given, count)
        assert isinstance(what, Operator)
        ports = zip(what.signature.inputs, given, strict=False)
        moved = frozenset(p.name for p, asked in ports if asked and p.name not in what.measured)
        if count is not None:
            flows = self.found.setdefault(path, {})
            flows[moved] = flows.get(moved, as_poly(0)) + count
        depends = bool(moved) or isinstance(what, Borrow) or self.trains(graph, node, what)
        return [depends] * len(node.types)

    def trains(self, graph: Graph, node: Node, what: Operator) -> bool:
        """Whether an operator has weights of its own that gradients go to."""
        weights = what.parameters(graph.types(node.inputs), self.program.key).values()
        return any(weight.trained for weight in weights)

    def repeat(self, what: Repeat, path: str, given: list[bool], count: Poly | None) -> list[bool]:
        """All layers; the first may be given what has no gradient, others are given its result."""
        rounds = self.program.key.layers(what.times)
        behind = self.round(what, path, given, None)
        if behind != given[0]:
            self.round(what, path, given, count)
            given, rounds = [behind, *given[1:]], rounds - 1
        return [self.round(what, path, given, None if count is None else count * rounds)]

    def round(self, what: Repeat, path: str, given: list[bool], count: Poly | None) -> bool:
        """One layer of each body after the other: whether the last result depends on weights."""
        carried = given[0]
        for offset, body in enumerate(what.bodies):
            inputs = [carried if wire == 0 else given[wire] for wire in what.wires[offset]]
            inside = join(path, layer_mark(what, offset))
            carried = self.graph(self.program.graphs[body], inside, inputs, count)[0]
        return carried

    def scan(self, what: Scan, path: str, given: list[bool], count: Poly | None) -> list[bool]:
        """All steps; the first may start from a state that has no gradient."""
        step, rounds = self.program.graphs[what.graph], as_poly(what.times)
        while (behind := self.graph(step, path, given, None)[: what.carried]) != given[
            : what.carried
        ]:
            self.graph(step, path, given, count)
            given, rounds = [*behind, *given[what.carried :]], rounds - 1
        return self.graph(step, path, given, None if count is None else count * rounds)
