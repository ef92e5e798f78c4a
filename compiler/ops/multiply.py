"""Multiply: the gate of a gated unit."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class Multiply(Operator, signature="x:*, y:* -> z:*"):
    """`x * y`, element by element (Dauphin et al. 2017, eq. 1; Shazeer 2020, eq. 5)."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.z)

    def torch(self, w: Writer) -> str:
        return f"{w.x} * {w.y}"

    def onnx(self, b: Builder) -> Any:
        return b.op("Mul", b.x, b.y)
