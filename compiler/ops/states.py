"""States of recurrences: the first ones, those of one way or layer, one beside every position."""

from typing import Any, ClassVar, Literal

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size, as_poly
from compiler.ir.traffic import Traffic, moved
from compiler.ops.slices import END

Way = Literal["both", "fwd", "bwd", "only"]
"""Which way's states: both side by side, one of the two, or those of the only way."""


class ZeroState(Operator, signature="x:B* -> h:BD"):
    """A state of zeros for each row of `x`."""

    measured: ClassVar[tuple[str, ...]] = ("x",)

    D: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.x}.new_zeros({w.dim('B')}, {w.dim('D')})"

    def onnx(self, b: Builder) -> Any:
        return b.op("ConstantOfShape", b.lengths(b.dim("B"), b.dim("D")))


class ZeroStates(Operator, signature="x:B* -> h:NBD"):
    """N states of zeros, one a layer, for each row of `x`."""

    measured: ClassVar[tuple[str, ...]] = ("x",)

    N: Size
    D: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.x}.new_zeros({w.dim('N')}, {w.dim('B')}, {w.dim('D')})"

    def onnx(self, b: Builder) -> Any:
        return b.op("ConstantOfShape", b.lengths(b.dim("N"), b.dim("B"), b.dim("D")))


class LayerState(Operator, signature="h:NBD -> h:BO"):
    """The last state of one layer; of both ways side by side it is O = 2·D wide."""

    O: Size
    layer: int
    way: Way = "only"

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        return moved(n.outputs, n.outputs) if self.way == "both" else Traffic()

    def torch(self, w: Writer) -> str:
        if self.way != "both":
            return f"{w.h}[{self._places()[0]}]"
        h = w.named("h")
        forward, backward = self._places()
        return f"torch.cat(({h}[{forward}], {h}[{backward}]), dim=-1)"

    def onnx(self, b: Builder) -> Any:
        found = [b.op("Gather", b.h, b.index(place), axis=0) for place in self._places()]
        return found[0] if len(found) == 1 else b.op("Concat", *found, axis=-1)

    def _places(self) -> tuple[int, ...]:
        first = 2 * self.layer
        places = {"only": (self.layer,), "fwd": (first,), "bwd": (first + 1,)}
        return places.get(self.way, (first, first + 1))


class LayerStates(Operator, signature="h:NBD -> h:LBO"):
    """The last states of all L layers of a recurrence that runs both ways."""

    L: Size
    O: Size
    way: Way

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        if self.way != "both":
            return f"{w.h}[{('fwd', 'bwd').index(self.way)}::2]"
        return f"{w.h}.unflatten(0, ({w.dim('L')}, 2)).transpose(1, 2).flatten(2)"

    def onnx(self, b: Builder) -> Any:
        if self.way != "both":
            first = ("fwd", "bwd").index(self.way)
            end, axis, step = b.ints(END), b.ints(0), b.ints(2)
            return b.op("Slice", b.h, b.ints(first), end, axis, step)
        layers, rows, width = b.dim("L"), b.dim("B"), b.dim("D")
        pairs = b.reshape(b.h, (layers, as_poly(2), rows, width))
        turned = b.op("Transpose", pairs, perm=[0, 2, 1, 3])
        return b.op("Reshape", turned, b.ints(0, 0, -1))


class BesideEach(Operator, signature="x:BTI, c:BO -> z:BT(I+O)"):
    """The vector `c` beside `x` at every position (Cho et al. 2014, eq. 3)."""

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"torch.cat(({w.x}, {w.c}[:, None].expand(-1, {w.dim('T')}, -1)), dim=-1)"

    def onnx(self, b: Builder) -> Any:
        one = as_poly(1)
        each = b.op("Expand", b.op("Unsqueeze", b.c, b.ints(1)), b.lengths(one, b.dim("T"), one))
        return b.op("Concat", b.x, each, axis=-1)
