"""Split the last dimension into parts."""

from collections.abc import Sequence
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, total, value
from compiler.ir.types import TensorType


class Split(Operator, signature="x:*I -> y:*I"):
    """Parts of the given widths, in order; they add up to the last dimension. `names` are what they
    are called."""

    view: ClassVar[bool] = True

    parts: tuple[Size, ...] = ()
    names: tuple[str, ...] = ()

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        binding = self.bind(inputs, key)
        if key.fix(total(self.parts)) != key.fix(binding.letters["I"]):
            raise ValueError(f"the parts add up to {total(self.parts)}, not {binding.letters['I']}")
        return tuple(TensorType("float", (*binding.leading, part)) for part in self.parts)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        if len(set(self.parts)) == 1:
            return f"{w.x}.chunk({len(self.parts)}, dim=-1)"
        return f"{w.x}.split({w.sizes(self.parts)}, dim=-1)"

    def onnx(self, b: Builder) -> Any:
        widths = [value(part) for part in map(b.fix, self.parts)]
        return b.op("Split", b.x, b.ints(*widths), outputs=len(widths), axis=-1)
