"""Learned positions of given places."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


@dataclass(frozen=True)
class PlacedPositions(Operator, signature="place:int*; weight:RD -> y:*D"):
    """Row `offset + place` of a table of `R` rows: what `LearnedPositions` is where places differ
    from row to row."""

    R: Size
    D: Size
    offset: int = 0
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.init or Init("normal", 1.0)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def module(self, w: Writer) -> str:
        return f"nn.Embedding({w.dim('R')}, {w.dim('D')})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.place} + {self.offset})" if self.offset else f"{w.self}({w.place})"

    def onnx(self, b: Builder) -> Any:
        place = b.op("Add", b.place, b.index(self.offset)) if self.offset else b.place
        return b.op("Gather", b.weight, place, axis=0)
