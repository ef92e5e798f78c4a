"""Add: the residual step."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class Add(Operator, signature="x:*, y:* -> z:*"):
    """`x + y`, element by element (He et al. 2016, eq. 1)."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.z)

    def torch(self, w: Writer) -> str:
        return f"{w.x} + {w.y}"

    def onnx(self, b: Builder) -> Any:
        return b.residual(b.x, b.y)
