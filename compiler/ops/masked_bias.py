"""A bias of attention scores that also says what is hidden."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.types import TensorType


class MaskedBias(Operator, signature="bias:NHTS, seen:bool* -> mask:NHTS"):
    """`bias` where a query may look and -inf where not; made once for all layers that share it.

    `seen` is [T, S], or [B, 1, T, S] or [B, 1, 1, S] where the rows of a batch see differently; N
    is then B.
    """

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        (found,) = super().infer(inputs, key)
        seen = inputs[1]
        assert seen is not None
        if len(seen.shape) == 2:
            return (found,)
        return (replace(found, shape=(seen.shape[0], *found.shape[1:])),)

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.mask, bias=n.mask)

    def torch(self, w: Writer) -> str:
        return f"torch.where({w.seen}, {w.bias}, -torch.inf)"

    def onnx(self, b: Builder) -> Any:
        return b.op("Where", b.seen, b.bias, b.number(float("-inf")))
