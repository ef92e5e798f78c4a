"""What an encoder hands to its decoder: keys and values of the source, made once for every step."""

from collections.abc import Mapping
from typing import Any, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import value
from compiler.ops.heads import by_head

KINDS: Final[Mapping[str, str]] = {"k": "key", "v": "value"}
"""What is handed over, by the port of the attention that reads it."""


class HandOver(Operator, signature="x:BGSK, slot:BGSK -> y:BGSK"):
    """Keys or values of a source, `kind`, that a layer of a decoder reads at every step: they go to
    `slot` and come out again."""

    kind: str = "key"

    def cost(self, n: Sizes) -> Cost:
        return Cost(state=n.x)

    def torch(self, w: Writer) -> str:
        return f"{w.slot}.copy_({w.x})"

    def onnx(self, b: Builder) -> Any:
        heads, width = (value(b.dim(letter)) for letter in "GK")
        return by_head(b, b.x, heads, width, named=(b.handed(self.kind),))
