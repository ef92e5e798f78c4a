"""Linear: a matrix product with a learned matrix, and perhaps a bias."""

from collections.abc import Mapping
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class Linear(Operator, signature="x:*I; weight:OI, bias?:O -> y:*O"):
    """`y = x Wᵀ + b` over the last dimension, `O` wide; 2·rest·I·O FLOPs.

    `parts` names what a pass has joined along the output, with the width of each: `q`, `k` and `v`
    of `qkv`. Drawn as torch does (He et al. 2015 with a = √5, which is uniform within ±1/√I) unless
    `init` says otherwise.
    """

    holder: ClassVar[str] = "nn.Linear"
    wraps: ClassVar[bool] = True
    named: ClassVar[bool] = True

    O: Size
    bias: bool = False
    init: Init | None = None
    parts: tuple[tuple[str, Size], ...] = ()

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", n["I"] ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=2 * n.rest * n.I * n.O, elementwise=n.y if self.bias else 0)

    def module(self, w: Writer) -> str:
        return f"nn.Linear({w.dim('I')}, {w.dim('O')}{'' if self.bias else ', bias=False'})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        return b.linear(b.x, "weight", "bias" if self.bias else "")
