"""Put learned tokens into a sequence."""

from typing import Any, ClassVar

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.slices import rest
from compiler.ops.table import TableOwner


class Insert(TableOwner, Operator, signature="x:BPD; weight:ND -> y:BTD"):
    """`N` learned rows, the same for every image, behind the first `after` of `x`: registers
    (Darcet et al. 2024, section 3.1); `T` is N + P."""

    rows: ClassVar[str] = "N"

    N: Size
    T: Size
    after: int
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        x = w.named("x")
        rows = f"{w.self}.weight.expand({w.dim('B')}, -1, -1)"
        return f"torch.cat(({x}[:, :{self.after}], {rows}, {x}[:, {self.after}:]), dim=1)"

    def onnx(self, b: Builder) -> Any:
        rows = b.op("Expand", b.op("Unsqueeze", b.weight, b.ints(0)), b.lengths(b.dim("B"), 1, 1))
        before = b.op("Slice", b.x, b.ints(0), b.ints(self.after), b.ints(1))
        behind = rest(b, b.x, self.after, 1)
        return b.op("Concat", before, rows, behind, axis=1)
