"""A program: the graphs of one model, the key of its letters and where its outputs are."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.graph import Call, Graph, Node, Repeat, Scan, Value
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Parameter
from compiler.ir.size import Size, as_poly, value

LAYERS: Final = re.compile(r"(?<=\.)(\d+)(?:\.\.\d+(?::\d+)?)?(?=\.|\Z)")
"""A layer in a path, or a mark of several as `layer_mark` writes it."""


class Place(Frozen):
    """One operator of the folded program: its path with `{}` for each layer index, and how often it
    runs."""

    path: str
    node: Node
    graph: Graph
    uses: Size
    copies: Size
    """How many sets of parameters there are: `uses`, or fewer where layers share."""
    steps: Size = 1
    """How many steps one use takes, each waiting for the one before."""


class Program(Frozen):
    """An ordered set of named graphs, callees before callers, with a root."""

    name: str
    graphs: dict[str, Graph]
    root: str
    key: Letters
    about: str = ""
    path: str = ""
    digest: str = ""
    grown: str = ""
    """The input that a decoder with a cache grows; empty where there is none."""
    longest: int = 0
    """The most positions that it may have; 0 where there is none."""
    stepped: str = ""
    """The input that a recurrent decoder reads step by step; empty where there is none."""
    states: tuple[tuple[Value, Value], ...] = ()
    """Values of the root graph that a recurrent decoder starts from, each with what it becomes."""
    crossing: tuple[tuple[str, str], ...] = ()
    """Inputs of the root graph with keys or values of a source for each layer of a decoder, each
    with which it is, `key` or `value`: the encoder fills them, in a program of its own."""
    carried: tuple[tuple[str, str], ...] = ()
    """Inputs of the root graph for states that go from step to step, each with whose it is and
    which, `h.*.mix.rnn.c`, a star for the layer of a stack."""
    gives: tuple[str, ...] = ()
    """The outputs of a model whose decoder this is, some of which its encoder may give."""

    def _repr_html_(self) -> str:
        """For a notebook."""
        from compiler.ir.notebook import program_html

        return program_html(self)

    @property
    def main(self) -> Graph:
        """The root graph."""
        return self.graphs[self.root]

    def with_graphs(self, graphs: dict[str, Graph]) -> "Program":
        """The same program over other graphs."""
        return replace(self, graphs=graphs)

    def places(self) -> Iterator[Place]:
        """Every operator once, folded, in the order of execution."""
        return iter(self._every_place)

    @cached_property
    def _every_place(self) -> tuple[Place, ...]:
        return tuple(self._places(self.main, "", as_poly(1), as_poly(1), as_poly(1)))

    def parameters(self) -> dict[str, Parameter]:
        """Every parameter of the expanded model by its full name, in the order of execution."""
        found: dict[str, Parameter] = {}
        for path, node, graph in self.flat():
            if isinstance(node.what, Operator):
                for name, parameter in node.what.parameters(
                    graph.types(node.inputs), self.key
                ).items():
                    found.update(self._named(path, name, parameter))
        return found

    def flat(self) -> Iterator[tuple[str, Node, Graph]]:
        """Every operator of the expanded model with its full path; shared layers come once."""
        yield from self._flat(self.main, "")

    def _named(self, path: str, name: str, parameter: Parameter) -> dict[str, Parameter]:
        if not parameter.apart:
            return {f"{path}.{name}": parameter}
        above, _, last = path.rpartition(".")
        one = replace(parameter, shape=parameter.shape[1:], apart=False)
        members = range(value(parameter.shape[0], self.key.sizes))
        return {join(above, f"{index}.{last}.{name}"): one for index in members}

    def _places(
        self, graph: Graph, prefix: str, uses: Size, copies: Size, steps: Size
    ) -> Iterator[Place]:
        whole = uses
        for node in graph:
            uses = whole if graph.is_read(node) else as_poly(0)
            path = join(prefix, node.under or node.id)
            if isinstance(node.what, Operator):
                yield Place(path, node, graph, uses, copies, steps)
            elif isinstance(node.what, Call):
                yield from self._places(self.graphs[node.what.graph], path, uses, copies, steps)
            elif isinstance(node.what, Scan):
                step = self.graphs[node.what.graph]
                rounds = as_poly(steps) * node.what.times
                yield from self._places(step, path, uses, copies, rounds)
            elif isinstance(node.what, Repeat):
                repeat = node.what
                made = 1 if repeat.share else repeat.times
                for offset, body in enumerate(repeat.bodies):
                    inside = f"{path}.{layer_mark(repeat, offset)}"
                    yield from self._places(
                        self.graphs[body],
                        inside,
                        as_poly(uses) * repeat.times,
                        as_poly(copies) * made,
                        steps,
                    )

    def _flat(self, graph: Graph, prefix: str) -> Iterator[tuple[str, Node, Graph]]:
        for node in graph:
            path = join(prefix, node.under or node.id)
            if isinstance(node.what, Operator):
                yield path, node, graph
            elif isinstance(node.what, Call | Scan):
                yield from self._flat(self.graphs[node.what.graph], path)
            elif isinstance(node.what, Repeat):
                for layer, body in layers(node.what):
                    yield from self._flat(self.graphs[body], f"{path}.{layer}")
                    if node.what.share:
                        break


def layers(repeat: Repeat) -> Iterator[tuple[int, str]]:
    """The layer indices of a repeat with their graphs."""
    for round_ in range(repeat.times):
        for offset, body in enumerate(repeat.bodies):
            yield repeat.start + round_ * len(repeat.bodies) + offset, body


def layer_mark(repeat: Repeat, offset: int) -> str:
    """The layer indices that one body stands for, as `3`, `0..12` or `1..26:2`."""
    first = repeat.start + offset
    if repeat.times == 1:
        return str(first)
    step = len(repeat.bodies)
    end = first + (repeat.times - 1) * step + 1
    return f"{first}..{end}" + (f":{step}" if step > 1 else "")


def first_layer(path: str) -> str:
    """A folded path in the first of the layers that it stands for: `h.0.mlp` of `h.0..12.mlp`."""
    return LAYERS.sub(r"\1", path)


def any_layer(path: str) -> str:
    """A folded path with a star for its layers: `h.*.mlp` of `h.0..12.mlp`."""
    return LAYERS.sub("*", path)


def join(prefix: str, name: str) -> str:
    """A dotted path."""
    return f"{prefix}.{name}" if prefix else name
