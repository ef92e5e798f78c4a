"""One use of an operator as its torch rule sees it: names of its inputs, sizes, its module."""

import math
from collections.abc import Callable, Sequence

from archspec.source.frozen import Frozen
from compiler.backends.torch.constants import Constants
from compiler.backends.torch.functions import Functions
from compiler.backends.torch.layout import number
from compiler.ir.graph import Graph, Node, Value
from compiler.ir.operator import Operator
from compiler.ir.size import Poly, Size, constant, text, value


class Use(Frozen):
    """The `Writer` of `compiler.ir.rules` for one node. `read` gives the expression of a value,
    `name` a plain name of it, `length` the local name of a size that is known at run time only."""

    node: Node
    operator: Operator
    graph: Graph
    constants: Constants
    helpers: Functions
    read: Callable[[Value], str]
    name: Callable[[Value], str]
    length: Callable[[str], None]

    def __getattr__(self, port: str) -> str:
        if port == "self":
            return f"self.{self.node.under or self.node.id}"
        value = self._value(port)
        if value is None:
            kind = type(self.operator).__name__
            own = any(found.name == port for found in self.operator.signature.parameters)
            hint = f": a parameter is `{{w.self}}.{port}`" if own else ""
            raise AttributeError(f"{kind} has nothing connected to `{port}`{hint}")
        return self.read(value)

    def has(self, port: str) -> bool:
        """Whether an optional port is connected."""
        return self._value(port) is not None

    def optional(self, port: str) -> bool:
        """Whether what is connected to a port may be absent at run time."""
        value = self._value(port)
        return value is not None and self.graph.type(value).optional

    def named(self, port: str) -> str:
        """The port as a plain name."""
        value = self._value(port)
        if value is None:
            raise AttributeError(port)
        return self.name(value)

    def dim(self, letter: str) -> str:
        """A letter of the signature as Python."""
        return self._size(self._letters()[letter])

    def fixed(self, letter: str) -> int:
        """The number behind a letter with a fixed size."""
        return value(self.constants.key.fix(self._letters()[letter]))

    def half(self, letter: str) -> str:
        """Half of a fixed even size."""
        return f"{self.dim(letter)} // 2"

    def sizes(self, sizes: Sequence[Size]) -> str:
        """Several sizes as a tuple."""
        return f"({', '.join(map(self._size, sizes))})"

    def constant(self, name: str, value: float) -> str:
        """The name of a number at the top of the file."""
        return self.constants.setting(name, value)

    def number(self, value: float) -> str:
        """A number as Python source."""
        return number(value)

    def power(self, letter: str, value: float) -> str:
        """A number as a power of a fixed size where it is one."""
        size = constant(self.constants.key.fix(self._letters()[letter]))
        for exponent in (0.5, -0.5):
            if size and math.isclose(size**exponent, value, rel_tol=1e-15):
                return f"{self.dim(letter)}**{exponent}"
        return number(value)

    def helper(self, name: str, source: str, **stands: str) -> str:
        """The name of a function beside the classes.

        Letters in the source are those of the signature; `stands` tells which others stand for.
        """
        mine = {mark: text(size) for mark, size in self._letters().items()}
        return self.helpers.add(name, source, {**mine, **{k: mine[v] for k, v in stands.items()}})

    def _letters(self) -> dict[str, Poly]:
        binding = self.operator.bind(self.graph.types(self.node.inputs), self.constants.key)
        return dict(binding.letters)

    def _size(self, size: Size) -> str:
        text = self.constants.size(size)
        if isinstance(size, Poly):
            for letter in sorted(size.letters - set(self.constants.key.sizes)):
                self.length(letter)
        return text

    def _value(self, port: str) -> Value | None:
        names = [found.name for found in self.operator.signature.inputs]
        return self.node.inputs[names.index(port)] if port in names else None
