"""Attentions of a decoder over what stays the same while it decodes: an encoded source."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Value
from compiler.ir.program import Place, Program
from compiler.ops import ScaledDotProductAttention

ROUNDS = 2
"""After so many layers of a repeat nothing more comes to depend on an input."""


def over_source(program: Program) -> tuple[Place, ...]:
    """The attentions whose queries follow the input that a decoder grows, and whose keys do not."""
    if not program.grown or len(program.main.inputs) < 2:
        return ()
    walk = _Walk(program)
    walk.through(program.main, [name == program.grown for name in program.main.inputs])
    return tuple(
        place for place in program.places() if (place.graph.name, place.node.id) in walk.found
    )


@dataclass
class _Walk:
    """Carries along the edges of graphs whether a value follows the input that grows."""

    program: Program
    found: set[tuple[str, str]] = field(default_factory=set)

    def through(self, graph: Graph, inputs: Sequence[bool]) -> list[bool]:
        """Whether each output of a graph does."""
        grows = dict(zip(graph.inputs.values(), inputs, strict=True))
        for node in graph:
            if isinstance(node.what, Entry):
                continue
            given = [value is not None and grows[value] for value in node.inputs]
            outs = self._node(graph, node, given)
            grows |= {Value(node.id, port): each for port, each in enumerate(outs)}
        return [grows[value] for value in graph.outputs.values()]

    def _node(self, graph: Graph, node: Node, given: list[bool]) -> list[bool]:
        if isinstance(node.what, Call):
            return self.through(self.program.graphs[node.what.graph], given)
        if isinstance(node.what, Repeat):
            return self._repeat(node.what, given) * len(node.types)
        if isinstance(node.what, ScaledDotProductAttention) and given[0] and not any(given[1:3]):
            self.found.add((graph.name, node.id))
        return [any(given)] * len(node.types)

    def _repeat(self, repeat: Repeat, given: list[bool]) -> list[bool]:
        carried, *others = given
        for layer in range(ROUNDS * len(repeat.bodies)):
            body = layer % len(repeat.bodies)
            graph = self.program.graphs[repeat.bodies[body]]
            wired = [(carried, *others)[wire] for wire in repeat.wires[body]]
            carried, *_ = self.through(graph, wired)
        return [carried]
