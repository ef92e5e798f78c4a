"""The full-sequence form of a decoder: no cache, no position to start at, all positions at once."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from compiler.ir.graph import Call, Entry, Graph, Node, Rebuild, Repeat, Scan, Value, copied
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import Poly, Size, as_poly
from compiler.ir.types import TensorType
from compiler.ops import CausalMask
from compiler.ops.keeps import Keeps


def stateless(program: Program) -> Program:
    """`program` without its cache; one that has none comes back equal.

    Inputs `kv` and `pos` are gone everywhere, and so are cache updates and causal masks without
    padding (attention then has `causal` and no mask). The letter of seen positions becomes that
    of the new ones, and types are inferred again.
    """
    letters = _seen_letters(program)
    gone = {known.name for known in program.key.key.values() if known.role == "cache"} | set(
        letters
    )
    key = Letters({name: known for name, known in program.key.key.items() if name not in gone})
    graphs: dict[str, Graph] = {}
    for name, graph in program.graphs.items():
        graphs[name] = _Stateless(copied(graph), program.graphs, letters, key).graph()
    return replace(program, graphs=graphs, key=key)


def _seen_letters(program: Program) -> dict[str, Poly]:
    """What each letter of seen positions becomes: the new ones of the update that names it."""
    found: dict[str, Poly] = {}
    for graph in program.graphs.values():
        for node in graph:
            if isinstance(node.what, Keeps):
                (new,) = graph.types(node.inputs[:1])
                assert new is not None
                found |= dict.fromkeys(as_poly(node.what.S).letters, as_poly(new.shape[-2]))
    return found


def is_state(found: TensorType) -> bool:
    """Whether such a value is there only while decoding: the cache, a position, a mask over it."""
    position = found.element == "int" and not found.shape
    return position or (found.optional and found.element != "int")


class _Stateless:
    """One graph on its way to the full-sequence form."""

    def __init__(
        self,
        rebuild: Rebuild,
        graphs: Mapping[str, Graph],
        letters: Mapping[str, Poly],
        key: Letters,
    ) -> None:
        self.rebuild, self.graphs, self.letters, self.key = rebuild, graphs, letters, key

    def graph(self) -> Graph:
        """The finished graph."""
        for node in self.rebuild.old:
            self._node(node)
        return self.rebuild.finish()

    def _node(self, node: Node) -> None:
        match node.what:
            case Entry() if is_state(node.types[0]):
                self._forget(node)
            case Keeps():
                for port in range(len(node.types)):
                    self.rebuild.values[Value(node.id, port)] = self._moved(node)[port]
            case CausalMask(padded=False):
                self._forget(node)
            case Operator() as operator:
                self._operator(node, operator)
            case Call() as call:
                kept = self._kept(self.graphs[call.graph])
                self._keep(node, tuple(self._moved(node)[i] for i in kept))
            case Repeat() as repeat:
                self._repeat(node, repeat)
            case Scan() as scan:
                times = _with_letters(scan.times, self.letters)
                self._keep(node, self._moved(node), replace(scan, times=times))
            case Entry():
                self._keep(node, ())

    def _operator(self, node: Node, operator: Operator) -> None:
        inputs = self._moved(node)
        renamed = _with_letters(operator, self.letters)
        types = renamed.infer(self.rebuild.new.types(inputs), self.key)
        self.rebuild.keep(node, what=renamed, inputs=inputs, types=types)

    def _repeat(self, node: Node, repeat: Repeat) -> None:
        kept = [
            [wire[i] for i in self._kept(self.graphs[body])]
            for wire, body in zip(repeat.wires, repeat.bodies, strict=True)
        ]
        what, places = repeat.taking(kept)
        inputs = self._moved(node)
        self._keep(node, [inputs[old] for old in places], what)

    def _keep(self, node: Node, inputs: Sequence[Value | None], what: Any = None) -> None:
        types = tuple(TensorType(t.element, self._sizes(t.shape), t.optional) for t in node.types)
        self.rebuild.keep(node, what=what or node.what, inputs=tuple(inputs), types=types)

    def _kept(self, callee: Graph) -> list[int]:
        """The inputs of a graph that are no state."""
        types = callee.types(callee.inputs.values())
        return [i for i, found in enumerate(types) if found is not None and not is_state(found)]

    def _moved(self, node: Node) -> tuple[Value | None, ...]:
        return self.rebuild.moved(node.inputs)

    def _forget(self, node: Node) -> None:
        self.rebuild.values[Value(node.id)] = None

    def _sizes(self, shape: Sequence[Size]) -> tuple[Size, ...]:
        return tuple(_with_letters(size, self.letters) for size in shape)


def _with_letters(what: Any, letters: Mapping[str, Poly]) -> Any:
    """Sizes with letters replaced, alone, in tuples and in the fields of an operator."""
    if isinstance(what, Poly):
        return what.at(letters)
    if isinstance(what, tuple):
        return tuple(_with_letters(each, letters) for each in what)
    if isinstance(what, Operator):
        new = {f.name: _with_letters(getattr(what, f.name), letters) for f in fields(what)}
        return replace(what, **new)
    return what
