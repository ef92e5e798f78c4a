"""Learned positions of given places."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.table import TableOwner


class PlacedPositions(TableOwner, Operator, signature="place:int*; weight:RD -> y:*D"):
    """Row `offset + place` of a table of `R` rows: what `LearnedPositions` is where places differ
    from row to row."""

    looked_up: ClassVar[bool] = True
    picks: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    rows: ClassVar[str] = "R"

    R: Size
    D: Size
    offset: int = 0
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.place} + {self.offset})" if self.offset else f"{w.self}({w.place})"

    def onnx(self, b: Builder) -> Any:
        place = b.op("Add", b.place, b.index(self.offset)) if self.offset else b.place
        return b.op("Gather", b.weight, place, axis=0)
