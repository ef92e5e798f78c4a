"""Vectors of padding set to zero."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class ZeroPadding(Operator, signature="x:BTD, real:bool BT -> y:BTD"):
    """`x` where a position is real and zeros where it is padding (DeBERTa, He et al. 2021)."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.y)

    def torch(self, w: Writer) -> str:
        return f"{w.x} * {w.real}[..., None]"

    def onnx(self, b: Builder) -> Any:
        real = b.op("Cast", b.op("Unsqueeze", b.real, b.ints(2)), to=b.float_type)
        return b.op("Mul", b.x, real)
