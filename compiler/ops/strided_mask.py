"""The padding mask of a sequence behind a filter that skips places."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size
from compiler.ops.slices import END


class StridedMask(Operator, signature="real:bool BT -> strided:bool BN"):
    """Every `stride`-th place from `first` on: where the real places, alone, would give one too."""

    N: Size
    first: int
    stride: int

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        real = w.named("real")
        if self.stride == 1:
            return f"{real}[:, {self.first}:]"
        # A slice with a step would tie an export to even or to odd lengths.
        places = f"torch.arange({self.first}, {w.dim('T')}, {self.stride}, device={real}.device)"
        return f"{real}[:, {places}]"

    def onnx(self, b: Builder) -> Any:
        end = b.ints(END)
        return b.op("Slice", b.real, b.ints(self.first), end, b.ints(1), b.ints(self.stride))
