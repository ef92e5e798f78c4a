"""The padding mask of a sequence, ready for attention scores."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class KeyMask(Operator, signature="real:bool BS, x:BTD -> seen:bool B11S"):
    """True at [b, 0, 0, s] where source s of row b is no padding. ONNX Runtime broadcasts no query
    axis, so there the mask is written out for the T queries of `x`.
    """

    view: ClassVar[bool] = True

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.real}[:, None, None, :]"

    def onnx(self, b: Builder) -> Any:
        return b.op(
            "Expand", b.op("Unsqueeze", b.real, b.ints(1, 2)), b.lengths(1, 1, b.dim("T"), 1)
        )
