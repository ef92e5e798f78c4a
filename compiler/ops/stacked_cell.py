"""One step of a recurrence of several layers: what a deep decoder runs that looks at its source."""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Literal

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Parameter
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size, as_poly, product
from compiler.ir.types import TensorType
from compiler.ops.gates import GATES, Kind, gradients, products
from compiler.ops.recurrence import layer_parameters, onnx_layers


class StackedCell(Operator, signature="x:BI, h:NBD -> h:NBD"):
    """The next states of N layers of gated or plain cells, each over the state of the one below.

    As `Recurrence` over one position, whose parameters it has.
    """

    ordered: ClassVar[bool] = True

    D: Size
    N: Size
    kind: Literal["gru", "rnn"]
    layers: int
    ways: int = 1

    def parameters(self, inputs: Sequence[TensorType | None], key: Letters) -> dict[str, Parameter]:
        letters = self.bind(inputs, key).letters
        return layer_parameters(self, self.kind, {**letters, "O": letters["D"]}, key)

    def cost(self, n: Sizes) -> Cost:
        return _cost(self.kind, self.layers, n)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        return _backward(self.kind, self.layers, n, moved)

    def module(self, w: Writer) -> str:
        return _module(self.kind, self.layers, w)

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x}[:, None], {w.h})[1]"

    def onnx(self, b: Builder) -> Any:
        x = b.op("Unsqueeze", b.x, b.ints(0))
        return onnx_layers(self, self.kind, b, x, (b.h,), None)[1][0]


class StackedLstmCell(Operator, signature="x:BI, h:NBD, c:NBD -> h:NBD, c:NBD"):
    """The next states and cells of N layers of LSTMs; as `LstmRecurrence` over one position."""

    ordered: ClassVar[bool] = True

    D: Size
    N: Size
    layers: int
    ways: int = 1

    def parameters(self, inputs: Sequence[TensorType | None], key: Letters) -> dict[str, Parameter]:
        letters = self.bind(inputs, key).letters
        return layer_parameters(self, "lstm", {**letters, "O": letters["D"]}, key)

    def cost(self, n: Sizes) -> Cost:
        return _cost("lstm", self.layers, n)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        return _backward("lstm", self.layers, n, moved)

    def module(self, w: Writer) -> str:
        return _module("lstm", self.layers, w)

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x}[:, None], ({w.h}, {w.c}))[1]"

    def onnx(self, b: Builder) -> Any:
        x = b.op("Unsqueeze", b.x, b.ints(0))
        return tuple(onnx_layers(self, "lstm", b, x, (b.h, b.c), None)[1])


def _cost(kind: Kind, layers: int, n: Sizes) -> Cost:
    reads = [n.D if layer else n.I for layer in range(layers)]
    work = sum((products(kind, (n.B,), read, n.D) for read in reads), as_poly(0))
    states = product((n.B, n.D, layers))
    return Cost(matmul=work, elementwise=GATES[kind].elementwise * states, steps=layers)


def _backward(kind: Kind, layers: int, n: Sizes, moved: Collection[str]) -> Poly:
    states = n.B * ("h" in moved)
    first = gradients(kind, n.B, n.I, n.D, n.B * ("x" in moved), states)
    return first + (layers - 1) * gradients(kind, n.B, n.D, n.D, n.B, states)


def _module(kind: Kind, layers: int, w: Writer) -> str:
    size = f"{w.dim('I')}, {w.dim('D')}, num_layers={layers}, batch_first=True"
    return f"nn.{GATES[kind].torch}({size})"
