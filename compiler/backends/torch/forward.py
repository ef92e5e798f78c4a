"""The body of a `forward`: nodes of a graph as statements, each value inlined or named after its
dimensions."""

import ast
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from compiler.backends.torch.aux_loss import summed
from compiler.backends.torch.constants import Constants
from compiler.backends.torch.functions import Functions
from compiler.backends.torch.lengths import read_off
from compiler.backends.torch.lines import Line, Lines
from compiler.backends.torch.loop import Loop, layer_count
from compiler.backends.torch.marks import Mark, bare, unmarked
from compiler.backends.torch.scan_loop import ScanLoop
from compiler.backends.torch.stem import stem
from compiler.backends.torch.use import Use
from compiler.ir.graph import Call, Entry, Graph, Node, Repeat, Scan, Value
from compiler.ir.operator import Operator
from compiler.ir.types import TensorType
from compiler.ops import Borrow

INLINE: Final = 48
"""Longest expression that is put into another one instead of getting a name."""

LONGEST: Final = 84
"""Longest expression that keeps what was put into it."""


class _SpentError(KeyError):
    """A rule reads an input again whose expression it was given already."""

    def __init__(self, value: Value) -> None:
        super().__init__(value)
        self.value = value


@dataclass
class Forward:
    """Writes the statements of one graph, or of some nodes of it."""

    graph: Graph
    constants: Constants
    helpers: Functions
    given: dict[Value, str] = field(default_factory=dict)
    """Names of the values that are there from the start."""
    kept: Mapping[Value, int] = field(default_factory=dict)
    """How often values are read after the last statement."""
    graphs: Mapping[str, Graph] = field(default_factory=dict)
    """The graphs that nodes run, for those of scans."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Names of what nodes are given behind their inputs: tensors, or those of each layer."""
    mark: Mark = unmarked

    def __post_init__(self) -> None:
        self.lines: Lines = []
        self.names: dict[Value, str] = {}
        self.pending: dict[Value, str] = {}
        self.lengths: dict[str, None] = {}
        self.left: dict[Value, int] = {}
        carried = [node.types[0] for node in self.graph if isinstance(node.what, Repeat)]
        ends = [self.graph.type(value) for value in (*self.graph.outputs.values(), *self.given)]
        self.paths = {found.shape for found in [*carried, *ends] if found.element == "float"}

    def write(self, nodes: Iterable[Node]) -> None:
        """Write nodes in order."""
        todo = list(nodes)
        ids = {node.id for node in todo}
        for node in self.graph:
            for port in range(len(node.types)):
                value = Value(node.id, port)
                self.left[value] = sum(
                    1 for reader, _ in self.graph.readers(value) if reader.id in ids
                )
        for value, name in self.given.items():
            self.names[value] = name
        for node in todo:
            if self._is_read(node):
                self._write(node)

    def _is_read(self, node: Node) -> bool:
        """Whether any output of a node is read: an embedding may be there for its table alone."""
        values = [Value(node.id, port) for port in range(len(node.types))]
        return any(self.left[value] or value in self.kept for value in values)

    def results(self, outputs: list[Value]) -> list[str]:
        """What `return` says: expressions, but where that is long, names of long ones that have one
        of their own."""
        found = [self.pending.get(value) or self.names[value] for value in outputs]
        if len(found) > 1 and len(bare(", ".join(found))) > LONGEST:
            for value in filter(self._deserves_a_name, outputs):
                self._name(value)
        return [self._read(value) for value in outputs]

    def _deserves_a_name(self, value: Value) -> bool:
        what = self.graph[value.node].what
        if len(bare(self.pending.get(value, ""))) <= INLINE or self._on_path(value):
            return False
        return isinstance(what, Operator) and what.named

    def _on_path(self, value: Value) -> bool:
        return self.graph.type(value).shape in self.paths

    def header(self) -> list[str]:
        """The lines that make the run-time lengths which statements name."""
        types = {name: self.graph.type(value) for value, name in self.given.items()}
        return read_off(types, self.lengths, self.constants)

    def _write(self, node: Node) -> None:
        what = node.what
        if isinstance(what, Entry):
            return
        if isinstance(what, Repeat):
            self._repeat(node, what)
            return
        if isinstance(what, Scan):
            self._scan(node, what)
            return
        expression = self._expression(node)
        self._spend(node.inputs)
        if len(node.types) > 1:
            targets = [self._target(node, port) for port in range(len(node.types))]
            said = what.targets(targets) if isinstance(what, Operator) else ", ".join(targets)
            self._say(node, f"{said} = {expression}")
            return
        value = Value(node.id)
        if isinstance(what, Borrow):
            self.names[value] = expression
            return
        self.pending[value] = expression
        if not self._inlines(value, expression, what):
            self._assign(value)

    def _expression(self, node: Node) -> str:
        """What computes a node, with short inputs put in; inputs get names where the whole would be
        long, or where they are said twice."""
        before = dict(self.pending)
        try:
            expression = self._text(node)
            spent = [value for value in before if value not in self.pending]
            if len(bare(expression)) <= LONGEST or not spent:
                return expression
        except _SpentError as twice:
            spent = [twice.value]
        unnamed = [value for value in spent if value not in self.names]
        self.pending = {value: text for value, text in before.items() if value not in self.names}
        for value in unnamed:
            self._assign(value)
        return self._expression(node)

    def _text(self, node: Node) -> str:
        what = node.what
        if isinstance(what, Operator):
            reads = (self._read, self._name, self._length)
            use = Use(node, what, self.graph, self.constants, self.helpers, *reads)
            return self.mark(self.graph, node, what.torch(use))
        given = [self._read(v) for v in node.inputs if v is not None]
        given += [f"*{self.beside[node.id]}"] if node.id in self.beside else []
        return f"self.{node.id}({', '.join(given)})"

    def _inlines(self, value: Value, expression: str, what: object) -> bool:
        if self.left[value] + self.kept.get(value, 0) != 1:
            return False
        if value in self.kept:
            return len(bare(expression)) <= LONGEST
        if isinstance(what, Call) or len(bare(expression)) > INLINE:
            return False
        reader = next(node.what for node, _ in self.graph.readers(value))
        wraps = isinstance(reader, Operator) and reader.wraps
        return wraps or _is_postfix(bare(expression))

    def _read(self, value: Value) -> str:
        if value in self.pending:
            return self.pending.pop(value)
        if value not in self.names:
            raise _SpentError(value)
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
        self._say(self.graph[value.node], f"{name} = {expression}")

    def _say(self, node: Node, text: str, depth: int = 0) -> None:
        self.lines.append(Line(depth, text, node.span))

    def _spend(self, values: Iterable[Value | None]) -> None:
        """Count values as read once more."""
        for value in values:
            if value is not None:
                self.left[value] -= 1

    def _target(self, node: Node, port: int) -> str:
        """The name of one of several outputs; `_` where nothing reads it."""
        value = Value(node.id, port)
        read = self.left[value] > 0 or value in self.kept
        return self._new_name(node, port) if read else "_"

    def _new_name(self, node: Node, port: int) -> str:
        found = node.types[port]
        named = stem(node, port, found.suffix, same=self._on_path(Value(node.id, port)))
        return self._called(Value(node.id, port), named, found)

    def _called(self, value: Value, stem: str, found: TensorType) -> str:
        """Give a value the first name that means nothing else now: its stem, its dimensions
        behind."""
        ending = f"_{found.suffix}" if found.suffix else ""
        spare = ("y", "z") if stem in ("x", "y", "z") else ()
        wishes = itertools.chain((stem, *spare), (f"{stem}{n}" for n in itertools.count(2)))
        names = (f"{wish}{ending}" for wish in wishes)
        name = next(name for name in names if not self._alive(name))
        self.names[value] = name
        return name

    def _alive(self, name: str) -> bool:
        """Whether something still to be written reads what a name means now."""
        waiting = any(re.search(rf"\b{name}\b", text) for text in self.pending.values())
        known = (value for value, found in self.names.items() if found == name)
        return waiting or any(self.left[value] > 0 or value in self.kept for value in known)

    def _scan(self, node: Node, scan: Scan) -> None:
        """A loop over the positions of the sequences; what it stacks is put together behind it.

        A state may overwrite what it starts from where no later state and no step reads that.
        """
        ahead = scan.carried + scan.cut
        values = [value for value in node.inputs if value is not None]
        states = [self._name(value) for value in values[: scan.carried]]
        shared = [self._name(value) for value in values[ahead:]]
        sequences = [self._read(value) for value in values[scan.carried : ahead]]
        self._spend(values[scan.carried : ahead])
        for port, name in enumerate(states):
            self._spend(values[port : port + 1])
            if not self._alive(name):
                self.names[Value(node.id, port)] = name
                continue
            states[port] = self._called(Value(node.id, port), "state", node.types[port])
            self._say(node, f"{states[port]} = {name}")
        self._spend(values[ahead:])
        names = itertools.chain(("steps",), (f"steps{n}" for n in itertools.count(2)))
        free = (name for name in names if not self._alive(name))
        loop = ScanLoop(
            f"self.{node.under or node.id}",
            self.graphs[scan.graph],
            scan,
            states,
            list(itertools.islice(free, len(node.types) - len(states))),
        )
        for depth, line in loop.lines(sequences, shared):
            self._say(node, line, depth)
        for port, name in enumerate(loop.stacked, scan.carried):
            value = Value(node.id, port)
            self.pending[value] = f"torch.stack({name}, dim=1)"
            if not self._inlines(value, self.pending[value], scan):
                self._assign(value)

    def _repeat(self, node: Node, repeat: Repeat) -> None:
        """A loop over layers; what they carry may overwrite what it starts from where no later
        layer reads that."""
        module = f"self.{node.under or node.id}"
        inputs = [self._name(v) if v is not None else "None" for v in node.inputs]
        self._spend(node.inputs[:1])
        carried = self._new_name(node, 0)
        self._spend(node.inputs[1:])
        if inputs[0] != carried:
            self._say(node, f"{carried} = {inputs[0]}")
        cut = {i: self._slice(node, i, inputs[i]) for i in repeat.sliced}
        siblings = [
            n.what
            for n in self.graph
            if isinstance(n.what, Repeat) and (n.under or n.id) == (node.under or node.id)
        ]
        loop = Loop(
            module,
            repeat,
            len(siblings) == 1,
            layer_count(self.constants, repeat),
            [carried, *inputs[1:]],
            cut,
            summed(repeat, self.graphs),
            self.beside.get(node.id, ""),
        )
        for depth, line in loop.lines(carried, inputs):
            self._say(node, line, depth)

    def _slice(self, node: Node, index: int, name: str) -> str:
        value = node.inputs[index]
        assert value is not None
        found = self.graph.type(value)
        stem = name.rpartition("_")[0] or name
        return f"{stem}_{TensorType(found.element, found.shape[1:]).suffix}"


def _is_postfix(expression: str) -> bool:
    parsed = ast.parse(expression, mode="eval").body
    return isinstance(parsed, ast.Call | ast.Name | ast.Attribute | ast.Subscript)
