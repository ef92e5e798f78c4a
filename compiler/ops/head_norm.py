"""Norms of queries and keys, head by head."""

from collections.abc import Mapping
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import value
from compiler.ops.l2_norm import L2Norm
from compiler.ops.layer_norm import LayerNorm
from compiler.ops.rms_norm import RmsNorm


class HeadNorm(Operator, signature="x:BNTD; weight?:D, bias?:D -> y:BNTD"):
    """`norm` over the width of each head, the same gain for all (Henry et al. 2020; Qwen 3)."""

    normalizes: ClassVar[bool] = True
    wraps: ClassVar[bool] = True
    named: ClassVar[bool] = True

    norm: RmsNorm | LayerNorm | L2Norm

    def present(self, parameter: str) -> bool:
        return bool(getattr(self.norm, parameter, False))

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.norm.draw(name, n)

    def cost(self, n: Sizes) -> Cost:
        return self.norm.cost(n)

    def module(self, w: Writer) -> str:
        return self.norm.module(w)

    def torch(self, w: Writer) -> str:
        return self.norm.torch(w)

    def onnx(self, b: Builder) -> Any:
        # Heads come side by side in the width: see `Builder`.
        apart = b.op("Reshape", b.x, b.ints(0, 0, value(b.dim("N")), value(b.dim("D"))))
        return b.op("Reshape", self.norm.onnx(Heads(b, apart)), b.ints(0, 0, -1))


class Heads:
    """A builder whose port `x` is the value that has its heads on an axis of their own."""

    def __init__(self, b: Builder, x: Any) -> None:
        self.b, self.x = b, x

    def __getattr__(self, name: str) -> Any:
        return getattr(self.b, name)
