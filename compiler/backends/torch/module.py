"""One graph as a class: its modules in `__init__`, its nodes in `forward`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from archspec.source.frozen import Frozen
from compiler.backends.torch.constants import Constants
from compiler.backends.torch.drawing import Drawing
from compiler.backends.torch.forward import Forward
from compiler.backends.torch.functions import Functions
from compiler.backends.torch.lines import Line, Lines, deeper, placed
from compiler.backends.torch.loop import layer_count
from compiler.backends.torch.marks import Mark, unmarked
from compiler.backends.torch.use import Use
from compiler.ir.graph import Call, Graph, Node, Repeat, Scan, Value
from compiler.ir.methods import ONE
from compiler.ir.operator import Operator
from compiler.ir.types import TensorType
from compiler.passes.keys_apart import SourceKeys
from compiler.passes.stages import called

LAYER = re.compile(r"layer(_\d+)?")


class Classes(Frozen):
    """What every class of a file shares: constants, helpers, graphs and the names of their
    classes."""

    constants: Constants
    helpers: Functions
    graphs: Mapping[str, Graph]
    names: Mapping[str, str]
    main_file: str
    root: str
    drawing: Drawing
    keys: SourceKeys | None = None
    mark: Mark = unmarked

    def module(self, graph: Graph) -> Lines:
        """The class of a graph below the root."""
        lines, step = [self.head(graph), *self.setup(graph)], graph
        if self.keys is not None and graph.name in self.keys.steps:
            step = self.keys.steps[graph.name]
            apart = self.keys.makers.get(graph.name)
            lines += [*self._method(ONE, apart.graph, apart.ends), Line(0, "")] if apart else []
        ends = dict.fromkeys(step.outputs.values())
        return placed([*lines, *self._method("forward", step, ends)], graph.span)

    def _method(self, name: str, graph: Graph, ends: Iterable[Value]) -> Lines:
        """A method over all nodes of a graph."""
        inputs = {value: argument(graph, value) for value in graph.inputs.values()}
        arguments = [f"{name}: {annotation(graph.type(value))}" for value, name in inputs.items()]
        outputs = list(ends)
        head = f"def {name}(self, {', '.join(arguments)}) -> {returned(len(outputs))}:"
        return [Line(1, head), *self.body(graph, list(graph), inputs, outputs)]

    def head(self, graph: Graph) -> Line:
        """The line that opens a class and says where its graph comes from."""
        return Line(0, f"class {self.names[graph.name]}(nn.Module):  # {self.place(graph)}")

    def setup(self, graph: Graph) -> Lines:
        """`__init__`: every child with parameters, in order, then what draws them; nothing for a
        graph without any."""
        children = list(self._children(graph))
        if not children:
            return []
        lines = [Line(1, "def __init__(self) -> None:"), Line(2, "super().__init__()")]
        lines += [Line(2, f"self.{name} = {made}", graph[name].span) for name, made in children]
        drawn = [line for node in graph for line in self.drawing.of(node)]
        if graph.name == self.root and not self.drawing.local:
            drawn += self.drawing.loop(self.helpers.sources)
        return [*lines, *drawn, Line(0, "")]

    def body(
        self,
        graph: Graph,
        nodes: list[Node],
        inputs: Mapping[Value, str],
        outputs: list[Value],
        beside: Mapping[str, str] | None = None,
    ) -> Lines:
        """The statements of a method over some nodes of a graph, ending in `return`.

        `beside` has names of what the layers of nodes are given behind their inputs.
        """
        forward = Forward(
            graph,
            self.constants,
            self.helpers,
            dict(inputs),
            Counter(outputs),
            self.graphs,
            beside or {},
            self.mark,
        )
        forward.write(nodes)
        results = forward.results(outputs)
        lines = [Line(2, line) for line in forward.header()]
        span = graph[outputs[0].node].span if len(outputs) == 1 else graph.span
        return [
            *lines,
            *deeper(forward.lines, 2),
            Line(2, f"return {', '.join(results)}", span),
        ]

    def place(self, graph: Graph) -> str:
        """Where in the spec a graph comes from."""
        parts = [part for part in graph.name.split(".") if not LAYER.fullmatch(part)]
        path = "model" if graph.name == self.root else ".".join(parts)
        file = "" if graph.span.file == self.main_file else f"{graph.span.file.rpartition('/')[2]}:"
        return f"spec:{file}{graph.span.line} {path}".encode("ascii", "backslashreplace").decode()

    def _children(self, graph: Graph) -> Iterator[tuple[str, str]]:
        stacks: dict[str, list[Repeat]] = {}
        for node in graph:
            if isinstance(node.what, Repeat):
                stacks.setdefault(node.under or node.id, []).append(node.what)
        for node in graph:
            if isinstance(node.what, Operator):
                made = node.what.module(self._use(graph, node, node.what))
                if made:
                    yield node.id, made
            elif isinstance(node.what, Call | Scan):
                yield node.id, f"{self.names[node.what.graph]}()"
            elif node.id in stacks:
                yield node.id, self._list(stacks[node.id])

    def _list(self, repeats: list[Repeat]) -> str:
        if len(repeats) == 1:
            return f"nn.ModuleList({self._layers(repeats[0])})"
        return f"nn.ModuleList([{', '.join(self._spread(repeat) for repeat in repeats)}])"

    def _spread(self, repeat: Repeat) -> str:
        if repeat.times == 1:
            return ", ".join(f"{self.names[body]}()" for body in repeat.bodies)
        return f"*({self._layers(repeat)})"

    def _layers(self, repeat: Repeat) -> str:
        made = [f"{self.names[body]}()" for body in repeat.bodies]
        if repeat.share:
            return f"[{made[0]}]"
        if repeat.times == 1:
            return f"[{', '.join(made)}]"
        count = layer_count(self.constants, repeat)
        if len(made) == 1:
            return f"{made[0]} for _ in range({count})"
        return f"block for _ in range({repeat.times}) for block in ({', '.join(made)})"

    def _use(self, graph: Graph, node: Node, operator: Operator) -> Use:
        def absent(value: Value) -> str:
            raise AttributeError(f"a module of {node.id} reads {value.node}")

        return Use(
            node, operator, graph, self.constants, self.helpers, absent, absent, lambda letter: None
        )


def argument(graph: Graph, value: Value) -> str:
    """The name of a graph's input: with its dimensions where all have letters."""
    ending = graph.type(value).suffix
    name = called(graph[value.node], value.port)
    return f"{name}_{ending}" if ending else name


def annotation(found: TensorType) -> str:
    """The annotation of a parameter."""
    if not found.shape:
        return "int"
    return "Tensor | None" if found.optional else "Tensor"


def returned(count: int) -> str:
    """The annotation of a result."""
    return "Tensor" if count == 1 else f"tuple[{', '.join(['Tensor'] * count)}]"
