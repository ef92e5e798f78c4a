"""Learned vectors that stand for a question, the same for every row."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.table import TableOwner


class Probe(TableOwner, Operator, signature="x:BTD; weight:ND -> probe:BND"):
    """`N` learned queries for each row of `x` (Lee et al. 2019, section 3.2: seed vectors)."""

    view: ClassVar[bool] = True
    rows: ClassVar[str] = "N"

    N: Size = 1
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        return f"{w.self}.weight.expand({w.dim('B')}, -1, -1)"

    def onnx(self, b: Builder) -> Any:
        return b.op("Expand", b.op("Unsqueeze", b.weight, b.ints(0)), b.lengths(b.dim("B"), 1, 1))
