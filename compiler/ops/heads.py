"""Splitting a width into heads and joining them again."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, as_poly


class SplitHeads(Operator, signature="x:BT(H*K) -> y:BHTK"):
    """[B, T, H·K] to [B, H, T, K]: head h is the slice h·K to (h + 1)·K of the width."""

    view: ClassVar[bool] = True
    named: ClassVar[bool] = True

    H: Size
    K: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        if as_poly(1) == self.H:
            return f"{w.x}[:, None]"
        return f"{w.x}.view({w.dim('B')}, {w.dim('T')}, {w.dim('H')}, {w.dim('K')}).transpose(1, 2)"

    def onnx(self, b: Builder) -> Any:
        # Heads stay side by side in the width: see `Builder`.
        return b.x


class MergeHeads(Operator, signature="x:BHTK -> y:BT(H*K)"):
    """[B, H, T, K] to [B, T, H·K]."""

    view: ClassVar[bool] = True

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        if w.dim("H") == "1":
            return f"{w.x}[:, 0]"
        return f"{w.x}.transpose(1, 2).flatten(2)"

    def onnx(self, b: Builder) -> Any:
        # Heads stay side by side in the width: see `Builder`.
        return b.x
