"""Logits of the last position alone: what comes behind the last mixing of positions reads one."""

from collections.abc import Iterator

from compiler.ir.graph import Graph, Node, Value, copied
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.reach import HERE
from compiler.ir.size import Poly, as_poly
from compiler.ops import LastPosition


def last_position(program: Program) -> Program:
    """A decoder whose outputs [B, T, …] have its last position alone, [B, 1, …].

    Of the root graph's end, everything that works on each position by itself (norms, the map to
    logits) then works on one. Rows with padding give their last real position.
    """
    main = program.main
    length = main.type(main.inputs[program.grown]).shape[1]
    end = _End(program, main, as_poly(length))
    return program.with_graphs({**program.graphs, program.root: end.graph()})


class _End:
    def __init__(self, program: Program, main: Graph, length: Poly) -> None:
        self.program, self.main, self.length = program, main, length
        self.ids = self._positionwise()
        self.real = main.inputs.get(f"{program.grown}_mask")

    def graph(self) -> Graph:
        """The root graph with the cut."""
        made = copied(self.main)
        last: dict[Value, Value] = {}
        for node in self.main:
            if node.id not in self.ids:
                made.keep(node)
                continue
            assert isinstance(node.what, Operator)
            inputs = list(made.moved(node.inputs))
            for at, found in enumerate(node.inputs):
                if found is None or not self._long(found) or found.node in self.ids:
                    continue
                if found not in last:
                    taken = (made.values[found], made.values[self.real] if self.real else None)
                    operator = LastPosition()
                    types = operator.infer(made.new.types(taken), self.program.key)
                    cut = Node(f"{found.node}_last", operator, taken, types, node.span)
                    (last[found],) = made.new.add(cut)
                inputs[at] = last[found]
            types = node.what.infer(made.new.types(inputs), self.program.key)
            made.keep(node, inputs=tuple(inputs), types=types)
        return made.finish()

    def _positionwise(self) -> frozenset[str]:
        """Nodes at the end that work on each position by itself and are read by such alone."""
        found: set[str] = set()
        given = {value.node for value in self.main.outputs.values() if self._long(value)}
        for node in reversed(list(self.main)):
            readers = {reader for reader in self.main if self._reads(reader, node)}
            last = node.id in given or bool(readers)
            if last and {reader.id for reader in readers} <= found and self._alone(node):
                found.add(node.id)
        return frozenset(found)

    def _reads(self, reader: Node, node: Node) -> bool:
        return any(value is not None and value.node == node.id for value in reader.inputs)

    def _alone(self, node: Node) -> bool:
        """Whether an operator looks at no position but its own, and at one there is."""
        operator = node.what
        if not isinstance(operator, Operator) or operator.ordered:
            return False
        ports = [port.name for port in operator.signature.inputs]
        here = all(operator.reach(port, self.program.key) == HERE for port in ports)
        return here and any(self._lengths(node)) and self._long(Value(node.id))

    def _lengths(self, node: Node) -> Iterator[bool]:
        return (value is not None and self._long(value) for value in node.inputs)

    def _long(self, value: Value) -> bool:
        """Whether a value has an axis of the new positions."""
        return any(as_poly(size) == self.length for size in self.main.type(value).shape[1:])
