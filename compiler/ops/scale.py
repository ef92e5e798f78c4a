"""Scale: multiplication with a fixed number."""

from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


@dataclass(frozen=True)
class Scale(Operator, signature="x:*D -> y:*D"):
    """`factor * x`; the embedding's √D of Vaswani et al. 2017, section 3.4, is one."""

    factor: float

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.y)

    def torch(self, w: Writer) -> str:
        return f"{w.x} * {w.power('D', self.factor)}"

    def onnx(self, b: Builder) -> Any:
        return b.op("Mul", b.x, b.number(self.factor))
