"""The body of a `forward`: nodes of a graph as statements, each value inlined or named after its dimensions."""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from compiler.backends.torch.constants import Constants
from compiler.backends.torch.helpers import Helpers
from compiler.backends.torch.use import Use
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Value
from compiler.ir.operator import Operator
from compiler.ir.size import Poly, as_poly, text
from compiler.ir.types import TensorType
from compiler.ops import Borrow, Linear, Rotate, SplitHeads, Split

INLINE: Final = 48
"""Longest expression that is put into another one instead of getting a name."""


@dataclass
class Forward:
    """Writes the statements of one graph, or of some nodes of it."""

    graph: Graph
    constants: Constants
    helpers: Helpers
    graphs: Mapping[str, Graph]
    given: dict[Value, str] = field(default_factory=dict)
    """Names of the values that are there from the start."""
    kept: Callable[[Value], bool] = lambda value: False
    """Values that are read after the last statement."""

    def __post_init__(self) -> None:
        self.lines: list[tuple[int, str]] = []
        self.names: dict[Value, str] = {}
        self.pending: dict[Value, str] = {}
        self.lengths: dict[str, None] = {}
        self.left: dict[Value, int] = {}

    def write(self, nodes: Iterable[Node]) -> None:
        """Write nodes in order."""
        todo = list(nodes)
        ids = {node.id for node in todo}
        for node in self.graph:
            for port in range(len(node.types)):
                value = Value(node.id, port)
                self.left[value] = sum(1 for reader, _ in self.graph.readers(value) if reader.id in ids)
        for value, name in self.given.items():
            self.names[value] = name
        for node in todo:
            self._write(node)

    def expression(self, value: Value) -> str:
        """The expression of a value for the last time: what `return` says."""
        if value in self.pending:
            return self.pending.pop(value)
        return self.names[value]

    def header(self) -> list[str]:
        """The line that reads run-time lengths off the inputs, if any is needed."""
        wanted = dict(self.lengths)
        lines: list[str] = []
        for value, name in self.given.items():
            shape = self.graph.type(value).shape
            found = {text(as_poly(s)): i for i, s in enumerate(shape) if text(as_poly(s)) in wanted}
            if not found or self.graph.type(value).optional:
                continue
            for letter in found:
                del wanted[letter]
            lines.append(_unpack(name, len(shape), found))
        return lines

    def _write(self, node: Node) -> None:
        what = node.what
        if isinstance(what, Entry):
            return
        if isinstance(what, Repeat):
            self._repeat(node, what)
            return
        if isinstance(what, Operator):
            use = Use(
                node, what, self.graph, self.constants, self.helpers, self._read, self._name, self._length
            )
            expression = what.torch(use)
        else:
            arguments = ", ".join(self._read(v) for v in node.inputs if v is not None)
            expression = f"self.{node.id}({arguments})"
        self._spend(node)
        if len(node.types) > 1:
            targets = [self._new_name(node, port) for port in range(len(node.types))]
            self.lines.append((0, f"{', '.join(targets)} = {expression}"))
            return
        value = Value(node.id)
        self.pending[value] = expression
        if not self._inlines(value, expression, what):
            self._assign(value)

    def _inlines(self, value: Value, expression: str, what: object) -> bool:
        if isinstance(what, Borrow):
            return True
        readers = self.left[value] + (1 if self.kept(value) else 0)
        if readers != 1:
            return False
        if self.kept(value):
            return True
        return len(expression) <= INLINE and _is_postfix(expression)

    def _read(self, value: Value) -> str:
        if value in self.pending:
            return self.pending.pop(value)
        return self.names[value]

    def _name(self, value: Value) -> str:
        if value in self.pending:
            self._assign(value)
        return self.names[value]

    def _length(self, letter: str) -> None:
        self.lengths.setdefault(letter)

    def _assign(self, value: Value) -> None:
        expression = self.pending.pop(value)
        name = self._new_name(self.graph[value.node], value.port)
        self.lines.append((0, f"{name} = {expression}"))

    def _spend(self, node: Node) -> None:
        for value in node.inputs:
            if value is not None:
                self.left[value] -= 1

    def _new_name(self, node: Node, port: int) -> str:
        value = Value(node.id, port)
        found = node.types[port]
        first = next((self.graph.type(v) for v in self.given), None)
        stem = _stem(node, port, same=first is not None and found.shape == first.shape)
        ending = f"_{found.suffix}" if found.suffix else ""
        for wish in (stem, "y", "z", *(f"{stem}{n}" for n in range(2, 99))):
            name = f"{wish}{ending}"
            if not self._alive(name):
                self.names[value] = name
                return name
        raise OverflowError(f"no name is left for {node.id}")

    def _alive(self, name: str) -> bool:
        return any(known == name and (self.left[v] > 0 or self.kept(v)) for v, known in self.names.items())

    def _repeat(self, node: Node, repeat: Repeat) -> None:
        module = f"self.{node.under or node.id}"
        inputs = [self._name(v) if v is not None else "None" for v in node.inputs]
        self._spend(node)
        carried = self._new_name(node, 0)
        if inputs[0] != carried:
            self.lines.append((0, f"{carried} = {inputs[0]}"))
        cut = {i: self._slice(node, i, inputs[i]) for i in repeat.sliced}
        loop = Loop(module, repeat, [carried, *inputs[1:]], cut)
        self.lines += loop.lines(carried, inputs, self._layers(node, repeat))

    def _layers(self, node: Node, repeat: Repeat) -> str:
        whole = self.constants.key.sizes
        length = next((name for name in ("L",) if whole.get(name) == repeat.layers and repeat.start == 0), "")
        return self.constants.size(Poly(as_poly(0).terms) + repeat.layers) if not length else length

    def _slice(self, node: Node, index: int, name: str) -> str:
        value = node.inputs[index]
        assert value is not None
        found = self.graph.type(value)
        stem = name.rpartition("_")[0] or name
        return f"{stem}_{TensorType(found.element, found.shape[1:]).suffix}"


@dataclass(frozen=True)
class Loop:
    """The loop over the layers of a repeat."""

    module: str
    repeat: Repeat
    inputs: list[str]
    cut: dict[int, str]

    def lines(self, carried: str, whole: list[str], layers: str) -> list[tuple[int, str]]:
        """One statement a layer: a loop over modules where all are called alike, else over rounds."""
        repeat = self.repeat
        if repeat.times == 1 and not self.cut:
            return [(0, self._call(carried, i, f"{self.module}[{repeat.start + i}]")) for i in range(len(repeat.bodies))]
        alike = len(set(repeat.wires)) == 1
        if not alike:
            step = len(repeat.bodies)
            end = repeat.start + repeat.layers
            found: list[tuple[int, str]] = [(0, f"for layer in range({repeat.start}, {end}, {step}):")]
            for i in range(step):
                at = "layer" if i == 0 else f"layer + {i}"
                found += [(1, f"{name} = {self._cut(whole[p], at)}") for p, name in self.cut.items()]
                found.append((1, self._call(carried, i, f"{self.module}[{at}]")))
            return found
        if repeat.share:
            head = "layer" if self.cut else "_"
            found = [(0, f"for {head} in range({layers}):")]
            block = f"{self.module}[0]"
        else:
            part = self._part(layers)
            head = f"for layer, block in enumerate({part}):" if self.cut else f"for block in {part}:"
            if self.cut and repeat.start:
                head = f"for layer, block in enumerate({part}, {repeat.start}):"
            found, block = [(0, head)], "block"
        found += [(1, f"{name} = {self._cut(whole[p], 'layer')}") for p, name in self.cut.items()]
        return [*found, (1, self._call(carried, 0, block))]

    def _part(self, layers: str) -> str:
        """The modules of this repeat among those of the whole stack."""
        return self.module if not self.partial else f"{self.module}[{self.repeat.start} : {self.end}]"

    @property
    def partial(self) -> bool:
        """Whether other repeats fill the rest of the stack."""
        return self.repeat.start > 0

    @property
    def end(self) -> int:
        """The layer after the last."""
        return self.repeat.start + self.repeat.layers

    def _cut(self, whole: str, at: str) -> str:
        return f"None if {whole} is None else {whole}[{at}]"

    def _call(self, carried: str, body: int, block: str) -> str:
        arguments = [self.cut.get(i, self.inputs[i]) for i in self.repeat.wires[body]]
        return f"{carried} = {block}({', '.join(arguments)})"


def _unpack(name: str, rank: int, found: dict[str, int]) -> str:
    if len(found) == 1:
        ((letter, index),) = found.items()
        return f"{letter} = {name}.shape[{index}]"
    letters = {index: letter for letter, index in found.items()}
    return f"{', '.join(letters.get(i, '_') for i in range(rank))} = {name}.shape"


def _stem(node: Node, port: int, same: bool) -> str:
    what = node.what
    if isinstance(what, Split) and what.names:
        return what.names[port]
    if isinstance(what, Linear | SplitHeads | Rotate) and not same:
        return node.id.partition("_")[0]
    if isinstance(what, Operator):
        name = what.signature.outputs[min(port, len(what.signature.outputs) - 1)].name
        if name not in ("y", "z", "x"):
            return name
    if isinstance(what, Call) and not same:
        return node.id
    return "x" if same or isinstance(what, Repeat) else "y"


def _is_postfix(expression: str) -> bool:
    parsed = ast.parse(expression, mode="eval").body
    return isinstance(parsed, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
