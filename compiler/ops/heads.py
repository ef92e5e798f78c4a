"""Splitting a width into heads and joining them again."""

from collections.abc import Sequence
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


def by_head(b: Builder, x: Any, heads: int, width: int, named: Sequence[str] = ()) -> Any:
    """ONNX: [B, T, H·K] as [B, H, T, K], for nodes that want heads on an axis of their own."""
    apart = b.op("Reshape", x, b.ints(0, 0, heads, width))
    return b.op("Transpose", apart, perm=[0, 2, 1, 3], named=named)


def side_by_side(b: Builder, x: Any, width: int) -> Any:
    """ONNX: [B, H, T, K] as [B, T, H·K], which is `width` wide."""
    return b.op("Reshape", b.op("Transpose", x, perm=[0, 2, 1, 3]), b.ints(0, 0, width))
