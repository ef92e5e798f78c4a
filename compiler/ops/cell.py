"""One step of a recurrence: what a decoder runs that looks at its source as it goes."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Literal

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size
from compiler.ops.gates import GATES, Kind, gradients, onnx_step, products


class Cell(
    Operator,
    signature="x:BI, h:BD; "
    "weight_ih:(G*D)I, weight_hh:(G*D)D, bias_ih:(G*D), bias_hh:(G*D) -> h:BD",
):
    """The next state of a gated (Cho et al. 2014) or plain (Elman 1990) cell with G gates."""

    ordered: ClassVar[bool] = True

    D: Size
    G: Size
    kind: Literal["gru", "rnn"]

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("uniform", n["D"] ** -0.5)

    def cost(self, n: Sizes) -> Cost:
        return _cost(self.kind, n)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        return _backward(self.kind, n, moved)

    def module(self, w: Writer) -> str:
        return f"nn.{GATES[self.kind].torch}Cell({w.dim('I')}, {w.dim('D')})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x}, {w.h})"

    def onnx(self, b: Builder) -> Any:
        return _step(b, self.kind, b.h)[0]


class LstmCell(
    Operator,
    signature="x:BI, h:BD, c:BD; "
    "weight_ih:(4*D)I, weight_hh:(4*D)D, bias_ih:(4*D), bias_hh:(4*D) -> h:BD, c:BD",
):
    """The next state and cell of an LSTM (Hochreiter & Schmidhuber 1997; Gers et al. 2000)."""

    ordered: ClassVar[bool] = True

    D: Size

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("uniform", n["D"] ** -0.5)

    def cost(self, n: Sizes) -> Cost:
        return _cost("lstm", n)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        return _backward("lstm", n, moved)

    def module(self, w: Writer) -> str:
        return f"nn.LSTMCell({w.dim('I')}, {w.dim('D')})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x}, ({w.h}, {w.c}))"

    def onnx(self, b: Builder) -> Any:
        return tuple(_step(b, "lstm", b.h, b.c))


def _cost(kind: Kind, n: Sizes) -> Cost:
    gates = GATES[kind]
    work = products(kind, (n.B,), n.I, n.D)
    return Cost(matmul=work, elementwise=gates.elementwise * n.B * n.D, steps=1)


def _backward(kind: Kind, n: Sizes, moved: Collection[str]) -> Poly:
    return gradients(kind, n.B, n.I, n.D, n.B * ("x" in moved), n.B * ("h" in moved))


def _step(b: Builder, kind: Kind, *held: Any) -> list[Any]:
    """The states behind one step, by ONNX's operator over a sequence of one."""
    first = b.ints(0)
    before = [b.op("Unsqueeze", state, first) for state in held]
    _, *after = onnx_step(b, kind, b.op("Unsqueeze", b.x, first), before, None, [""])
    return [b.op("Squeeze", state, first) for state in after]
