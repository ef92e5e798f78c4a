"""What the weights of a program come to where a build rounds them to integers."""

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction

from archspec.source.frozen import Frozen
from compiler.ir.graph import Call
from compiler.ir.program import Program
from compiler.ir.size import Poly, total
from compiler.ir.target import Target
from compiler.ops import Borrow

Tables = Mapping[tuple[str, str], str]
"""The parameter that nodes borrow, by their graph and id."""


class Held(Frozen):
    """The parameters of one program as its ONNX files hold them, looked up when somebody asks.

    Attributes:
        count: gives the bytes of an element of each parameter on a target, by the name that it has
            in the first layer of those that are alike.
    """

    count: Callable[[Target], Mapping[str, Fraction]]
    _known: dict[Target, Mapping[str, Fraction]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def each(self, target: Target, name: str) -> Fraction:
        """Bytes of an element of a parameter, its share of scales and codes of zero among them; 0
        for what nothing in the files reads."""
        if target not in self._known:
            self._known[target] = self.count(target)
        return self._known[target].get(name, Fraction(0))


class Rounded(Frozen):
    """The weights of one operator as integers.

    Attributes:
        owned: elements of one copy of each of its parameters, by their full names in the first
            layer.
        copies: how many there are.
        table: the parameter that it picks rows of or borrows, by its full name.
    """

    held: Held
    owned: Mapping[str, Poly]
    copies: Poly
    table: str

    def one_copy(self, target: Target) -> Poly:
        """Bytes of its own parameters on a target, one copy of each."""
        return total(size * self.held.each(target, name) for name, size in self.owned.items())

    def of_table(self, target: Target) -> Fraction:
        """Bytes of an element of the table on a target."""
        return self.held.each(target, self.table)


def borrowed(program: Program) -> Tables:
    """The tables that nodes of a program borrow, and those that graphs are called with."""
    found: dict[tuple[str, str], str] = {}
    for graph in reversed(program.graphs.values()):
        for node in graph:
            if isinstance(node.what, Borrow):
                found[graph.name, node.id] = node.what.path
            if isinstance(node.what, Call):
                callee = program.graphs[node.what.graph]
                for value, entry in zip(node.inputs, callee.inputs.values(), strict=False):
                    path = found.get((graph.name, value.node), "") if value else ""
                    found.update({(callee.name, entry.node): path} if path else {})
    return found
