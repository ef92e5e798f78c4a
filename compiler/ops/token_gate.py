"""TokenGate: vectors weighed by a sigmoid, one number a token."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class TokenGate(Operator, signature="gate:*O, x:*D -> y:*D"):
    """`sigmoid(gate) * x` with one number `gate` for the whole vector, in Qwen1.5-MoE's way."""

    O: Size = 1

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=4 * n.gate + n.y)

    def torch(self, w: Writer) -> str:
        return f"torch.sigmoid({w.gate}) * {w.x}"

    def onnx(self, b: Builder) -> Any:
        return b.op("Mul", b.op("Sigmoid", b.gate), b.x)
