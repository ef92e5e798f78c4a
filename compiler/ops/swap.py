"""Swap the places and the channels of a sequence."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class Swap(Operator, signature="x:BTD -> y:BDT"):
    """[B, T, D] to [B, D, T]."""

    view: ClassVar[bool] = True

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.x}.transpose(1, 2)"

    def onnx(self, b: Builder) -> Any:
        return b.op("Transpose", b.x, perm=[0, 2, 1])
