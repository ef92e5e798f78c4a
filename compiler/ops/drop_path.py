"""Stochastic depth: leave out a branch for some rows while training."""

from typing import Any, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly
from compiler.ir.traffic import Traffic

SOURCE: Final = '''
def {name}(x: Tensor, rate: float, training: bool) -> Tensor:
    """Zeros for a share of the rows while training; the others grow to make up for it."""
    kept = x.new_ones(x.shape[0], *[1] * (x.dim() - 1))
    return x * F.dropout(kept, rate) if training else x
'''


class DropPath(Operator, signature="x:B* -> y:B*"):
    """Huang et al. 2016: each row of a batch is zero with probability `rate`, the others grow by
    1 / (1 - rate)."""

    rate: float

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        return Traffic()

    def torch(self, w: Writer) -> str:
        rate = w.constant("DROP_PATH", self.rate)
        return f"{w.helper('drop_path', SOURCE)}({w.x}, {rate}, self.training)"

    def onnx(self, b: Builder) -> Any:
        return b.x
