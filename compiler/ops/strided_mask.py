"""The padding mask of a sequence behind a filter that skips places."""

from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


@dataclass(frozen=True)
class StridedMask(Operator, signature="real:bool BT -> strided:bool BN"):
    """Every `stride`-th place from `first` on: where the real places, alone, would give one too."""

    N: Size
    first: int
    stride: int

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        first = str(self.first) if self.first else ""
        step = f":{self.stride}" if self.stride > 1 else ""
        return f"{w.real}[:, {first}:{step}]"

    def onnx(self, b: Builder) -> Any:
        end = b.ints(2**31 - 1)
        return b.op("Slice", b.real, b.ints(self.first), end, b.ints(1), b.ints(self.stride))
