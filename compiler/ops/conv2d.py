"""Two-dimensional convolution; with a stride of its kernel it cuts an image into patches."""

from collections.abc import Mapping

from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.init import Init
from compiler.ir.size import Size, product, value


@dataclass(frozen=True)
class Conv2d(Operator, signature="x:BCXY; weight:DCQF, bias?:D -> y:BDIJ"):
    """`D` filters of Q x F over C channels, moved by their own size without padding: I x J places.

    Equal to unfolding the patches and multiplying with a matrix (Dosovitskiy et al. 2021, eq. 1).
    """

    D: Size
    Q: Size
    F: Size
    I: Size  # noqa: E741
    J: Size
    bias: bool = False
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", (n["C"] * n["Q"] * n["F"]) ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=product((2, n.y, n.C, n.Q, n.F)), elementwise=n.y if self.bias else 0)

    def module(self, w: Writer) -> str:
        size = w.dim("Q") if self.Q == self.F else f"({w.dim('Q')}, {w.dim('F')})"
        bias = "" if self.bias else ", bias=False"
        return f"nn.Conv2d({w.dim('C')}, {w.dim('D')}, kernel_size={size}, stride={size}{bias})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        rest = (b.bias,) if self.bias else ()
        return b.op("Conv", b.x, b.weight, *rest, strides=[value(b.dim("Q")), value(b.dim("F"))])
