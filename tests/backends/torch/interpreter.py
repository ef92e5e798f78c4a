"""The oracle of the torch writer: a program run node by node, each operator by its definition."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from compiler.ir.graph import Call, Entry, Graph, Node, Repeat
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ops import Borrow, GroupedLinear
from tests.ops.given import Given
from tests.ops.reference import compute


@dataclass(frozen=True)
class Interpreter:
    """Runs a program with a tensor for each of its parameters."""

    program: Program
    weights: Mapping[str, Tensor]

    def run(self, inputs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The outputs; an input that is not given is None."""
        main = self.program.main
        return self._graph(main, "", [inputs.get(name) for name in main.inputs])

    def _graph(self, graph: Graph, prefix: str, arguments: Sequence[Any]) -> tuple[Any, ...]:
        waiting = iter(arguments)
        values: dict[str, tuple[Any, ...]] = {}
        for node in graph:
            if isinstance(node.what, Entry):
                values[node.id] = (next(waiting),)
                continue
            given = [None if v is None else values[v.node][v.port] for v in node.inputs]
            values[node.id] = self._node(node, f"{prefix}{node.under or node.id}", given)
        return tuple(values[v.node][v.port] for v in graph.outputs.values())

    def _node(self, node: Node, path: str, given: Sequence[Any]) -> tuple[Any, ...]:
        match node.what:
            case Borrow(path=owner):
                return (self.weights[owner],)
            case Operator() as operator:
                own = {
                    name.removeprefix(f"{path}."): tensor
                    for name, tensor in self.weights.items()
                    if name.rpartition(".")[0] == path
                }
                if isinstance(operator, GroupedLinear):
                    own = self._experts(path)
                return compute(operator, Given(given, own, self.program.key.sizes))
            case Call(name):
                return self._graph(self.program.graphs[name], f"{path}.", given)
            case Repeat() as repeat:
                return (self._repeat(repeat, path, given),)
            case _:
                raise AssertionError(node)

    def _experts(self, path: str) -> dict[str, Tensor]:
        """`experts.0.gate.weight` and its like, as `0.weight` and so on for `experts.gate`."""
        above, _, own = path.rpartition(".")
        start = re.escape(f"{above}." if above else "")
        pattern = re.compile(rf"{start}(\d+)\.{re.escape(own)}\.(weight|bias)")
        hits = ((pattern.fullmatch(name), tensor) for name, tensor in self.weights.items())
        return {f"{hit[1]}.{hit[2]}": tensor for hit, tensor in hits if hit}

    def _repeat(self, repeat: Repeat, path: str, given: Sequence[Any]) -> Any:
        x = given[0]
        for step in range(repeat.times * len(repeat.bodies)):
            layer, body = repeat.start + step, step % len(repeat.bodies)
            ports = [x, *given[1:]]
            for port in repeat.sliced:
                ports[port] = None if ports[port] is None else ports[port][layer]
            own = repeat.start if repeat.share else layer
            passed = [ports[port] for port in repeat.wires[body]]
            graph = self.program.graphs[repeat.bodies[body]]
            (x,) = self._graph(graph, f"{path}.{own}.", passed)
        return x
