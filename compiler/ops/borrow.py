"""Borrow: the weight of another node as a value."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class Borrow(Operator, signature="-> weight:VD"):
    """The parameter `path` of the model (a table of `V` rows, `D` wide), owned elsewhere and
    counted there."""

    view: ClassVar[bool] = True

    path: str
    V: Size
    D: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"self.{self.path}"

    def onnx(self, b: Builder) -> Any:
        return b.borrowed(self.path, (self.V, self.D))
