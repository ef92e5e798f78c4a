"""Token types: a small table added to the embedding."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


@dataclass(frozen=True)
class TypeEmbedding(Operator, signature="ids:int*, types?:int*; weight:UD -> y:*D"):
    """Row `types` of a table of `U` rows (Devlin et al. 2019, figure 2); type 0 everywhere where
    none are given."""

    U: Size
    D: Size
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.init or Init("normal", 1.0)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def module(self, w: Writer) -> str:
        return f"nn.Embedding({w.dim('U')}, {w.dim('D')})"

    def torch(self, w: Writer) -> str:
        types = w.named("types")
        return f"{w.self}(torch.zeros_like({w.ids}) if {types} is None else {types})"

    def onnx(self, b: Builder) -> Any:
        types = b.types if b.has("types") else b.ints(0)
        return b.op("Gather", b.weight, types, axis=0)
