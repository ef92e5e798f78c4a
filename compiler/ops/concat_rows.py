"""Put a matrix beside every sequence of a batch: positions beside embeddings."""

from collections.abc import Sequence
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size
from compiler.ir.types import TensorType


class ConcatRows(Operator, signature="x:BTI, rows:TO -> y:BTD"):
    """`x` and the same `rows` for every sequence side by side; `D` is I + O."""

    D: Size

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        letters = self.bind(inputs, key).letters
        if key.fix(letters["I"] + letters["O"]) != key.fix(self.D):
            raise ValueError(f"{letters['I']} + {letters['O']} columns are not {self.D}")
        return super().infer(inputs, key)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"torch.cat(({w.x}, {w.rows}.expand({w.dim('B')}, -1, -1)), dim=-1)"

    def onnx(self, b: Builder) -> Any:
        # Broadcast both ways: a decoder that counts its rows has places, and so `rows`, for each.
        rows = b.op("Expand", b.rows, b.lengths(b.dim("B"), 1, 1))
        return b.op("Concat", b.x, rows, axis=-1)
