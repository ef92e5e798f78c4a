"""Token types: a small table added to the embedding."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.table import TableOwner


class TypeEmbedding(TableOwner, Operator, signature="ids:int*, types?:int*; weight:UD -> y:*D"):
    """Row `types` of a table of `U` rows (Devlin et al. 2019, figure 2); type 0 everywhere where
    none are given."""

    looked_up: ClassVar[bool] = True
    picks: ClassVar[bool] = True
    measured: ClassVar[tuple[str, ...]] = ("ids",)
    rows: ClassVar[str] = "U"

    U: Size
    D: Size
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        types = w.named("types")
        return f"{w.self}(torch.zeros_like({w.ids}) if {types} is None else {types})"

    def onnx(self, b: Builder) -> Any:
        types = b.types if b.has("types") else b.ints(0)
        return b.op("Gather", b.weight, types, axis=0)
