"""Clip: values beyond a limit become the limit."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class Clip(Operator, signature="x:* -> y:*"):
    """Each element held within ±`limit`; queries, keys and values of MPT and OLMo are."""

    limit: float

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=2 * n.y)

    def torch(self, w: Writer) -> str:
        limit = w.constant("CLIP", self.limit)
        return f"{w.x}.clamp(-{limit}, {limit})"

    def onnx(self, b: Builder) -> Any:
        return b.op("Clip", b.x, b.number(-self.limit), b.number(self.limit))
