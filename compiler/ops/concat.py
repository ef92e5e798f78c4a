"""Concatenate along the width."""

from collections.abc import Sequence
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size
from compiler.ir.types import TensorType


class Concat(Operator, signature="x:*I, y:*O -> z:*(I+O)"):
    """`x` and `y` side by side in the last dimension; `D` is what their widths together are
    called."""

    D: Size | None = None

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        (found,) = super().infer(inputs, key)
        if self.D is None:
            return (found,)
        if key.fix(found.shape[-1]) != key.fix(self.D):
            raise ValueError(f"{found.shape[-1]} columns are not {self.D}")
        return (TensorType("float", (*found.shape[:-1], self.D)),)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"torch.cat(({w.x}, {w.y}), dim=-1)"

    def onnx(self, b: Builder) -> Any:
        return b.op("Concat", b.x, b.y, axis=-1)
