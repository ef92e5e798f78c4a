"""A grid as a sequence."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class FlattenGrid(Operator, signature="x:BDIJ -> y:BPD"):
    """[B, D, I, J] to [B, P, D], row by row; P is I·J."""

    view: ClassVar[bool] = True

    P: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.x}.flatten(2).transpose(1, 2)"

    def onnx(self, b: Builder) -> Any:
        flat = b.reshape(b.x, (b.dim("B"), b.dim("D"), b.dim("P")))
        return b.op("Transpose", flat, perm=[0, 2, 1])
