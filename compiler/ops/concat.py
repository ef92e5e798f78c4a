"""Concatenate along the width or along the positions."""

from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


@dataclass(frozen=True)
class Concat(Operator, signature="x:*I, y:*O -> z:*(I+O)"):
    """`x` and `y` side by side in the last dimension."""

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"torch.cat(({w.x}, {w.y}), dim=-1)"

    def onnx(self, b: Builder) -> Any:
        return b.op("Concat", b.x, b.y, axis=-1)
