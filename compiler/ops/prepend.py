"""Put learned tokens before a sequence."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.table import TableOwner


class Prepend(TableOwner, Operator, signature="x:BPD; weight:ND -> y:BTD"):
    """`N` learned rows, the same for every image, before the P of `x` (Devlin et al. 2019;
    Dosovitskiy et al. 2021, eq. 1); `T` is N + P."""

    rows: ClassVar[str] = "N"

    N: Size
    T: Size
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        return f"torch.cat(({w.self}.weight.expand({w.dim('B')}, -1, -1), {w.x}), dim=1)"

    def onnx(self, b: Builder) -> Any:
        rows = b.op("Expand", b.op("Unsqueeze", b.weight, b.ints(0)), b.lengths(b.dim("B"), 1, 1))
        return b.op("Concat", rows, b.x, axis=1)
