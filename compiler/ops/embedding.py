"""Embedding: rows of a learned table picked by ids."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.table import TableOwner


class Embedding(TableOwner, Operator, signature="ids:int*; weight:VD -> y:*D"):
    """Row `ids` of a table of `V` rows, `D` wide. A look-up moves bytes and computes nothing."""

    looked_up: ClassVar[bool] = True
    picks: ClassVar[bool] = True
    rows: ClassVar[str] = "V"

    V: Size
    D: Size
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.ids})"

    def onnx(self, b: Builder) -> Any:
        return b.look_up("weight", b.ids)
