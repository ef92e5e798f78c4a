"""Places counted over what is no padding."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.reach import Reach
from compiler.ir.rules import Builder, Sizes, Writer


class RealIds(Operator, signature="ids:int* -> real:bool*"):
    """True where an id is not `pad`."""

    pad: int

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.ids} != {self.pad}"

    def onnx(self, b: Builder) -> Any:
        return b.op("Not", b.op("Equal", b.ids, b.index(self.pad)))


class CountedPlaces(Operator, signature="real:bool BS -> place:int BS"):
    """How many real positions stand before each real one, so that padding on either side changes
    no place (OPT, Zhang et al. 2022; RoBERTa, Liu et al. 2019, count like that).

    Padding itself has place 0, or -1 where it stands `before` all others in the table.
    """

    before: bool = False

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def reach(self, port: str, key: Letters) -> Reach:
        return Reach(None, 0)

    def torch(self, w: Writer) -> str:
        real = w.named("real")
        if self.before:
            return f"{real}.cumsum(dim=1) * {real} - 1"
        return f"({real}.cumsum(dim=1) - 1) * {real}"

    def onnx(self, b: Builder) -> Any:
        real, one = b.op("Cast", b.real, to=b.int_type), b.index(1)
        count = b.op("CumSum", real, one)
        if self.before:
            return b.op("Sub", b.op("Mul", count, real), one)
        return b.op("Mul", b.op("Sub", count, one), real)
