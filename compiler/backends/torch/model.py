"""The root graph as the model's class: `forward`, and `encode` and `decode` where it has two
stages, keys and values of the source between them."""

from collections.abc import Iterable

from archspec.source.frozen import Frozen
from compiler.backends.torch.aux_loss import aux_loss
from compiler.backends.torch.crossing import Crossing
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
        keys = self.classes.keys
        found = keys.stages if keys else stages(self.graph, self.grown)
        body = self._forward() if found is None else self._two_stages(found)
        loss = aux_loss(self.graph, self.classes.helpers)
        return placed([*head, *body, *loss], self.graph.span)

    def _forward(self) -> Lines:
        outputs = list(self.graph.outputs.values())
        nodes = [node for node in self.graph if not isinstance(node.what, Entry)]
        inputs = self._inputs(nodes, outputs)
        return [
            self._head("forward", self._declared(inputs), len(outputs)),
            *self.classes.body(self.graph, nodes, self._names(inputs), outputs),
        ]

    def _two_stages(self, found: Stages) -> Lines:
        keys = self.classes.keys
        made = Crossing(keys) if keys else None
        sources, steps = self._inputs(found.encode), self._inputs(found.decode)
        outputs = list(self.graph.outputs.values())
        ends = [*outputs, *(end for _, end in self.states)]
        encoded = keys.encoded if keys else found.crossing
        first = [value for value in steps if value.node == self.grown] + found.crossing
        rest = [value for value in steps if value not in first]
        taken = [*self._declared(first), *(made.declared if made else []), *self._declared(rest)]
        passed = [*self._names(first).values(), *([made.call] if made else [])]
        passed += self._names(rest).values()
        whole = self._ordered([*sources, *steps])
        said = f"self.encode({', '.join(self._names(sources).values())})"
        return [
            self._head("encode", self._declared(sources), len(encoded)),
            *self.classes.body(self.graph, found.encode, self._names(sources), encoded),
            Line(0, ""),
            *([*made.lines(), Line(0, "")] if made else []),
            self._head("decode", taken, len(ends)),
            *self.classes.body(
                self.graph,
                found.decode,
                self._names([*first, *rest]),
                ends,
                made.names if made else {},
            ),
            Line(0, ""),
            self._head("forward", self._declared(whole), len(outputs)),
            Line(2, f"{', '.join(self._names(encoded).values())} = {said}"),
            Line(2, f"return self.decode({', '.join(passed)}){_first(outputs, ends)}"),
        ]

    def _head(self, method: str, taken: Iterable[str], results: int) -> Line:
        return Line(1, f"def {method}(self, {', '.join(taken)}) -> {returned(results)}:")

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

    def _declared(self, inputs: Iterable[Value]) -> list[str]:
        """Parameters of a method."""
        return [self._parameter(value, name) for value, name in self._names(inputs).items()]

    def _parameter(self, value: Value, name: str) -> str:
        found = self.graph.type(value)
        default = {1: " = None", 2: " = 0"}.get(self._rank(value), "")
        return f"{name}: {annotation(found)}{default}"


def _first(outputs: list[Value], ends: list[Value]) -> str:
    """The index that leaves out what comes behind the outputs."""
    if len(outputs) == len(ends):
        return ""
    return "[0]" if len(outputs) == 1 else f"[:{len(outputs)}]"
