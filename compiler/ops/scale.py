"""Scale: multiplication with a fixed number."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class Scale(Operator, signature="x:*D -> y:*D"):
    """`factor * x`; the embedding's √D of Vaswani et al. 2017, section 3.4, is one.

    `rounded` rounds the factor to the type of `x` first: Gemma's √3072 is 55.5 in bfloat16.
    """

    factor: float
    rounded: bool = False

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.y)

    def torch(self, w: Writer) -> str:
        factor = w.power("D", self.factor)
        if not self.rounded:
            return f"{w.x} * {factor}"
        x = w.named("x")
        return f"{x} * {x}.new_full((), {factor})"

    def onnx(self, b: Builder) -> Any:
        return b.op("Mul", b.x, b.number(self.factor))
