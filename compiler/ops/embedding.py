"""Embedding: rows of a learned table picked by ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


@dataclass(frozen=True)
class Embedding(Operator, signature="ids:int*; weight:VD -> y:*D"):
    """Row `ids` of a table of `V` rows, `D` wide. A look-up moves bytes and computes nothing."""

    V: Size
    D: Size
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.init or Init("normal", 1.0)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def module(self, w: Writer) -> str:
        return f"nn.Embedding({w.dim('V')}, {w.dim('D')})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.ids})"

    def onnx(self, b: Builder) -> Any:
        return b.op("Gather", b.weight, b.ids, axis=0)
