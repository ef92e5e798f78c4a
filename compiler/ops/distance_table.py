"""A learned table as a value: a vector for every distance."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.table import TableOwner


class DistanceTable(TableOwner, Operator, signature="; weight:RD -> rows:RD"):
    """All `R` rows of a table, `D` wide (Shaw et al. 2018, section 3.2)."""

    view: ClassVar[bool] = True
    rows: ClassVar[str] = "R"

    R: Size
    D: Size
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        return f"{w.self}.weight"

    def onnx(self, b: Builder) -> Any:
        return b.weight
