"""Attention whose scores get a bias before the softmax: positions, distances, relations."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.hidden import hidden


class BiasedAttention(
    ScaledDotProductAttention,
    signature="q:BHTK, k:BGSK, v:BGSW, seen?:bool*, bias:NHTS -> y:BHTW",
):
    """`ScaledDotProductAttention` of the scores scale·q·kᵀ + bias.

    `bias` has the type of `q`; N is B, or 1 where all rows of a batch are alike. Fused kernels take
    one tensor for masks and biases, so a causal mask comes as `seen` or as -inf in `bias`.
    """

    def cost(self, n: Sizes) -> Cost:
        return super().cost(n) + Cost(elementwise=n.B * n.H * n.T * n.S)

    def torch(self, w: Writer) -> str:
        if not w.has("seen"):
            return self.fused(w, w.bias)
        return self.fused(w, f"{w.bias}.masked_fill(~{w.named('seen')}, -torch.inf)")

    def apart(self, b: Builder) -> Any:
        return self.node(b, hidden(b, b.bias))
