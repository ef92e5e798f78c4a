"""One use of an operator: its fields, the types of its inputs, and values of these types."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch

from compiler.ir.graph import Graph, Node
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import Size, value
from compiler.ir.types import Element, TensorType
from tests.backends.torch.live import Live

KEY = Letters()
B, T, S, C = (KEY.free(role) for role in ("batch", "target", "seen", "cache"))
D, V = KEY.fixed("width", 12), KEY.fixed("vocabulary", 11)
H, G, K = KEY.fixed("heads", 4), KEY.fixed("kv_heads", 2), KEY.fixed("head_dim", 6)
M, R, U = KEY.fixed("hidden", 20), KEY.fixed("table", 16), KEY.fixed("types", 3)
W = KEY.fixed("head_dim", 4, "", "value head width")
X, Q, J, P = (KEY.fixed(*ask) for ask in (("image", 8), ("patch", 4), ("grid", 2), ("patches", 4)))
E, A = KEY.fixed("experts", 5), KEY.fixed("active", 2)
LENGTHS = {"B": 3, "T": 5, "S": 7, "C": 9}


def floats(*shape: Size) -> TensorType:
    return TensorType("float", shape)


def ints(*shape: Size) -> TensorType:
    return TensorType("int", shape)


def bools(*shape: Size, optional: bool = False) -> TensorType:
    return TensorType("bool", shape, optional)


SEQUENCE, IDS, REAL = floats(B, T, D), ints(B, T), bools(B, T)
STATE, POS = TensorType("float", (2, B, G, C, K), optional=True), ints()

Make: TypeAlias = Callable[[TensorType, Mapping[str, int], torch.Generator], Any]


@dataclass(frozen=True)
class Case:
    """An operator with the types of its inputs; `values` makes what must not be any number."""

    operator: Operator
    inputs: tuple[TensorType | None, ...]
    values: Mapping[str, Make] = field(default_factory=dict)

    @property
    def ports(self) -> dict[str, TensorType]:
        """The inputs that are there, by the names of their ports."""
        names = (port.name for port in self.operator.signature.inputs)
        return {n: t for n, t in zip(names, self.inputs, strict=True) if t is not None}

    def program(self) -> Program:
        """A program of this operator alone, called `it`."""
        main = Graph("main", "m")
        given = {name: main.enter(name, found) for name, found in self.ports.items()}
        inputs = tuple(given.get(port.name) for port in self.operator.signature.inputs)
        types = self.operator.infer(self.inputs, KEY)
        for number, found in enumerate(main.add(Node("it", self.operator, inputs, types))):
            main.outputs[f"y{number}"] = found
        return Program("alone", {"main": main}, "main", KEY)

    def live(self) -> Live:
        """The operator as a running module beside its definition."""
        return Live(self.program())

    def given(self, seed: int = 0, **lengths: int) -> dict[str, Any]:
        """A value for every port; one row of a mask is empty."""
        draw = torch.Generator().manual_seed(seed)
        sizes = {**KEY.sizes, **LENGTHS, **lengths}
        return {
            name: self.values.get(name, drawn)(found, sizes, draw)
            for name, found in self.ports.items()
        }


def drawn(found: TensorType, sizes: Mapping[str, int], draw: torch.Generator) -> Any:
    """A random tensor of a type; ids are below three, a plain number is 2."""
    shape = [value(size, sizes) for size in found.shape]
    element: Element = found.element
    if element == "int":
        return torch.randint(3, shape, generator=draw) if shape else 2
    if element == "bool":
        kept = torch.rand(shape, generator=draw) < 0.6
        kept[-1] = False
        return kept
    return torch.randn(shape, generator=draw).double()


def absent(*_: Any) -> None:
    """Nothing, where a port may be empty at run time."""


def so_far(found: TensorType, sizes: Mapping[str, int], draw: torch.Generator) -> Any:
    """A mask over two positions from before and the new ones."""
    return drawn(found, {**sizes, "S": 2 + sizes["T"]}, draw)
