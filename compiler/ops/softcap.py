"""Softcap: values bent smoothly to stay below a limit."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ops.activation import FLOPS


class Softcap(Operator, signature="x:* -> y:*"):
    """`cap * tanh(x / cap)`; Gemma 2 bends its logits so (Gemma Team 2024, section 2)."""

    cap: float

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=(FLOPS["tanh"] + 2) * n.y)

    def torch(self, w: Writer) -> str:
        cap = w.constant("SOFTCAP", self.cap)
        return f"{cap} * torch.tanh({w.x} / {cap})"

    def onnx(self, b: Builder) -> Any:
        cap = b.number(self.cap)
        return b.op("Mul", b.op("Tanh", b.op("Div", b.x, cap)), cap)
