"""Where the values of a program lie when tensor ranks share it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ops import Linear, Split
from compiler.passes.cuts import Cuts
from compiler.report.parallel.vocabulary import scores_vocabulary

Placed = Literal["units", "vocabulary", "whole", "between"]
"""On each rank its own heads or hidden units, or its own columns of a vocabulary; on every rank all
of it; or between the regions, where a sequence may be cut."""
Places = Mapping[tuple[str, str], Placed]
"""By graph and node, where what it makes lies."""


def placed(program: Program, graphs: Mapping[str, Cuts]) -> Places:
    """Where what each node makes lies; `graphs` says where they are cut."""
    found: dict[tuple[str, str], Placed] = {}
    entered: dict[str, list[bool]] = {}
    for name, graph in program.graphs.items():
        flow = _Flow(program, graph, graphs[name], entered)
        flow.run()
        found |= {(name, node.id): flow.placed(node) for node in graph}
        entered[name] = [value in flow.whole for value in graph.inputs.values()]
    return found


@dataclass
class _Flow:
    """One graph; `entered` says of the graphs that it calls which inputs they want whole."""

    program: Program
    graph: Graph
    cuts: Cuts
    entered: Mapping[str, list[bool]]
    whole: set[Value] = field(default_factory=set)
    scores: set[Value] = field(default_factory=set)

    def run(self) -> None:
        """Follow scores of the vocabulary forward, and what is wanted whole backward."""
        for node in self.graph:
            if scores_vocabulary(node, self.program.key) or self._follows(node):
                self.scores.update(self._made(node))
        for node in reversed([*self.graph]):
            self.whole.update(self._wanted(node))

    def placed(self, node: Node) -> Placed:
        """Where what a node makes lies."""
        made = {*self._made(node)}
        if made & self.cuts.cut:
            return "units"
        if made & self.scores:
            return "vocabulary"
        return "whole" if made & self.whole else "between"

    def _made(self, node: Node) -> list[Value]:
        return [Value(node.id, port) for port in range(len(node.types))]

    def _follows(self, node: Node) -> bool:
        """Whether it changes scores one by one."""
        read = [value for value in node.inputs if value in self.scores]
        return any(
            node.types[:1] and node.types[0].shape == self.graph.type(value).shape
            for value in read
            if value
        )

    def _wanted(self, node: Node) -> Iterator[Value]:
        """What every rank must have all of for a node to compute its units, beside what is gathered
        for the first maps: a mask, angles, the keys of a single head."""
        what = node.what
        if isinstance(what, Entry):
            return
        if isinstance(what, Call):
            yield from self._called(node, what.graph, range(len(node.inputs)))
        elif isinstance(what, Repeat):
            for body, wires in zip(what.bodies, what.wires, strict=True):
                yield from self._called(node, body, wires)
        elif self.placed(node) == "units" or self._hands_on(node):
            gathered = {value for region in self.cuts.regions for value in region.reads}
            yield from (v for v in node.inputs if v and v not in self.cuts.cut | gathered)

    def _called(self, node: Node, graph: str, wires: "range | tuple[int, ...]") -> Iterator[Value]:
        for port, whole in zip(wires, self.entered[graph], strict=True):
            value = node.inputs[port]
            if whole and value:
                yield value

    def _hands_on(self, node: Node) -> bool:
        """Whether what it makes is wanted whole and so is what it reads: a map reads its part;
        masks and what says where things stand look at lengths alone."""
        what = node.what
        stands = isinstance(what, Operator) and what.locates
        floats = node.types[0].element == "float"
        parts = isinstance(what, Linear | Split)
        return self.placed(node) == "whole" and floats and not stands and not parts
