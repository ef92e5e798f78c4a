"""The root graph as the model's class: `forward`, and `encode` and `decode` where it has two
stages."""

import itertools
from collections.abc import Iterable

from archspec.source.frozen import Frozen
from compiler.backends.torch.aux_loss import aux_loss
from compiler.backends.torch.lines import Line, Lines, placed
from compiler.backends.torch.module import Classes, annotation, argument, returned
from compiler.ir.graph import Entry, Graph, Node, Value
from compiler.passes.stages import Stages, stages


class Root(Frozen):
    """Writes the class of the root graph."""

    classes: Classes
    graph: Graph
    grown: str
    states: tuple[tuple[Value, Value], ...] = ()
    """What a recurrent decoder starts from, each with what it becomes: `decode` returns that
    too."""

    def lines(self) -> Lines:
        """The whole class."""
        head = [self.classes.head(self.graph), *self.classes.setup(self.graph)]
        found = stages(self.graph, self.grown)
        body = self._forward() if found is None else self._two_stages(found)
        loss = aux_loss(self.graph, self.classes.helpers)
        return placed([*head, *body, *loss], self.graph.span)

    def _forward(self) -> Lines:
        outputs = list(self.graph.outputs.values())
        nodes = [node for node in self.graph if not isinstance(node.what, Entry)]
        inputs = self._inputs(nodes, outputs)
        return [
            Line(1, f"def forward(self, {self._signature(inputs)}) -> {returned(len(outputs))}:"),
            *self.classes.body(self.graph, nodes, self._names(inputs), outputs),
        ]

    def _two_stages(self, found: Stages) -> Lines:
        sources, steps = self._inputs(found.encode), self._inputs(found.decode)
        outputs = list(self.graph.outputs.values())
        ends = [*outputs, *(end for _, end in self.states)]
        crossing = self._names(found.crossing)
        grown = [value for value in steps if value.node == self.grown]
        given = {**self._names(grown), **crossing, **self._names(steps)}
        taken = ", ".join(itertools.starmap(self._declared, given.items()))
        whole = self._signature(self._ordered([*sources, *steps]))
        encoded = f"self.encode({', '.join(self._names(sources).values())})"
        body: Lines = [Line(2, f"{', '.join(crossing.values())} = {encoded}")]
        return [
            Line(1, f"def encode(self, {self._signature(sources)}) -> {returned(len(crossing))}:"),
            *self.classes.body(self.graph, found.encode, self._names(sources), found.crossing),
            Line(0, ""),
            Line(1, f"def decode(self, {taken}) -> {returned(len(ends))}:"),
            *self.classes.body(self.graph, found.decode, given, ends),
            Line(0, ""),
            Line(1, f"def forward(self, {whole}) -> {returned(len(outputs))}:"),
            *body,
            Line(2, f"return self.decode({', '.join(given.values())}){_first(outputs, ends)}"),
        ]

    def _inputs(self, nodes: Iterable[Node], passed: Iterable[Value] = ()) -> list[Value]:
        """The model inputs that some nodes read, or that are passed on as they are.

        What is always there comes first, then what may be absent.
        """
        read = {value for node in nodes for value in node.inputs if value is not None}
        read.update(passed)
        return self._ordered(value for value in self.graph.inputs.values() if value in read)

    def _ordered(self, inputs: Iterable[Value]) -> list[Value]:
        return sorted(dict.fromkeys(inputs), key=self._rank)

    def _rank(self, value: Value) -> int:
        if not self.graph.type(value).shape:
            return 2
        return 1 if self.graph.type(value).optional else 0

    def _names(self, inputs: Iterable[Value]) -> dict[Value, str]:
        return {value: argument(self.graph, value) for value in inputs}

    def _signature(self, inputs: Iterable[Value]) -> str:
        return ", ".join(self._declared(value, argument(self.graph, value)) for value in inputs)

    def _declared(self, value: Value, name: str) -> str:
        found = self.graph.type(value)
        default = {1: " = None", 2: " = 0"}.get(self._rank(value), "")
        return f"{name}: {annotation(found)}{default}"


def _first(outputs: list[Value], ends: list[Value]) -> str:
    """The index that leaves out what comes behind the outputs."""
    if len(outputs) == len(ends):
        return ""
    return "[0]" if len(outputs) == 1 else f"[:{len(outputs)}]"
