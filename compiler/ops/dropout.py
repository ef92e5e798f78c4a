"""Dropout: zero a share of the elements while training."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly
from compiler.ir.traffic import Traffic


class Dropout(Operator, signature="x:* -> y:*"):
    """Srivastava et al. 2014: each element is zero with probability `rate`, the others grow by 1 /
    (1 - rate)."""

    wraps: ClassVar[bool] = True

    rate: float

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        return Traffic()

    def torch(self, w: Writer) -> str:
        return f"F.dropout({w.x}, {w.constant('DROPOUT', self.rate)}, self.training)"

    def onnx(self, b: Builder) -> Any:
        return b.x
