"""One learned matrix for two things: the vectors of a sequence and the rows of a table."""

from collections.abc import Mapping
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class PairedLinear(Operator, signature="x:*I, rows:RI; weight:OI, bias?:O -> y:*O, rows_y:RO"):
    """`Linear` of a sequence and of a table's rows alike (He et al. 2021, section 3.1, with the
    projections shared)."""

    holder: ClassVar[str] = "nn.Linear"
    named: ClassVar[bool] = True

    O: Size
    bias: bool = False
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", n["I"] ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        vectors = n.rest + n.R
        return Cost(matmul=2 * vectors * n.I * n.O, elementwise=vectors * n.O if self.bias else 0)

    def module(self, w: Writer) -> str:
        return f"nn.Linear({w.dim('I')}, {w.dim('O')}{'' if self.bias else ', bias=False'})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x}), {w.self}({w.rows})"

    def onnx(self, b: Builder) -> Any:
        bias = "bias" if self.bias else ""
        return tuple(b.linear(x, "weight", bias) for x in (b.x, b.rows))
