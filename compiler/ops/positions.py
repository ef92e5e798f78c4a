"""Learned positions: a table with a row for every place."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.table import TableOwner


class LearnedPositions(TableOwner, Operator, signature="x:*TI, pos?:int; weight:RD -> y:TD"):
    """Rows `offset + pos` to `offset + pos + T` of a table of `R` rows (Gehring et al. 2017).

    `x` gives the length T; `pos` counts the positions that a decoder has already seen.
    """

    looked_up: ClassVar[bool] = True
    view: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    rows: ClassVar[str] = "R"

    R: Size
    D: Size
    offset: int = 0
    whole: bool = False
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        if self.whole:
            return f"{w.self}.weight"
        if w.has("pos"):
            start = f"{w.pos} + {self.offset}" if self.offset else w.pos
            return f"{w.self}.weight.narrow(0, {start}, {w.dim('T')})"
        if self.offset:
            return f"{w.self}.weight[{self.offset} : {self.offset} + {w.dim('T')}]"
        return f"{w.self}.weight[:{w.dim('T')}]"

    def onnx(self, b: Builder) -> Any:
        if self.whole:
            return b.weight
        if b.has("pos"):  # a slice beyond the table would be short, and one row fits any length
            places = b.positions("T")
            if self.offset:
                places = b.op("Add", places, b.index(self.offset))
            return b.op("Gather", b.weight, places, axis=0)
        end = b.lengths(b.dim("T"))
        if self.offset:
            end = b.op("Add", end, b.ints(self.offset))
        return b.op("Slice", b.weight, b.ints(self.offset), end, b.ints(0))
