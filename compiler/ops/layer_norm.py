"""LayerNorm: subtract the mean of the last dimension, divide by its standard deviation, then scale
and shift."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import value


@dataclass(frozen=True)
class LayerNorm(Operator, signature="x:*D; weight?:D, bias?:D -> y:*D"):
    """Ba, Kiros & Hinton 2016, eq. 4, with `eps` under the root."""

    eps: float
    weight: bool = True
    bias: bool = True

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("ones") if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=5 * n.y)

    def module(self, w: Writer) -> str:
        if not self.weight:
            return ""
        bias = "" if self.bias else ", bias=False"
        return f"nn.LayerNorm({w.dim('D')}, eps={w.constant('EPS', self.eps)}{bias})"

    def torch(self, w: Writer) -> str:
        if self.weight:
            return f"{w.self}({w.x})"
        return f"F.layer_norm({w.x}, ({w.dim('D')},), eps={w.constant('EPS', self.eps)})"

    def onnx(self, b: Builder) -> Any:
        width = value(b.dim("D"))
        weight = b.weight if self.weight else b.floats([1.0] * width)
        rest = (b.bias,) if self.bias else ()
        return b.op("LayerNormalization", b.x, weight, *rest, axis=-1, epsilon=self.eps)
