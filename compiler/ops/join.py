"""Sequences one behind the other."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.reach import EVERYWHERE, Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class Behind:
    """What joining vectors and joining masks share."""

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"torch.cat(({w.x}, {w.y}), dim=1)"

    def onnx(self, b: Builder) -> Any:
        return b.op("Concat", b.x, b.y, axis=1)


class Join(Behind, Operator, signature="x:BTD, y:BSD -> z:BND"):
    """The S places of `y` behind the T of `x`; N is their sum."""

    ordered: ClassVar[bool] = True

    N: Size

    def reach(self, port: str, key: Letters) -> Reach:
        return EVERYWHERE  # places are counted anew


class JoinMasks(Behind, Operator, signature="x:bool BT, y:bool BS -> real:bool BN"):
    """The same of their padding masks."""

    N: Size


class AllReal(Operator, signature="x:BTD -> real:bool BT"):
    """A padding mask without padding."""

    measured: ClassVar[tuple[str, ...]] = ("x",)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        x = w.named("x")
        return f"torch.ones({x}.shape[:2], dtype=torch.bool, device={x}.device)"

    def onnx(self, b: Builder) -> Any:
        return b.op("Expand", b.bools([True]), b.lengths(b.dim("B"), b.dim("T")))
