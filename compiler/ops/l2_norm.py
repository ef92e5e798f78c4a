"""L2 norm: vectors of unit length."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class L2Norm(Operator, signature="x:*D -> y:*D"):
    """`x / max(‖x‖, eps)` over the last dimension; CLIP's towers end in it (Radford et al.
    2021)."""

    normalizes: ClassVar[bool] = True

    eps: float

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=3 * n.y)

    def torch(self, w: Writer) -> str:
        return f"F.normalize({w.x}, dim=-1, eps={w.number(self.eps)})"

    def onnx(self, b: Builder) -> Any:
        length = b.op("ReduceL2", b.x, b.ints(-1), keepdims=1)
        return b.op("Div", b.x, b.op("Max", length, b.number(self.eps)))
