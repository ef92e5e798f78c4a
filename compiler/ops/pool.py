"""Pools: one vector out of a sequence."""

from dataclasses import replace
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly
from compiler.ir.traffic import Traffic
from compiler.ops.slices import rest

MASKED_MEAN: Final = '''
def {name}(x_BTD: Tensor, real_BT: Tensor) -> Tensor:
    """The mean over real positions; zeros where there is none."""
    total_BD = (x_BTD * real_BT[..., None]).sum(dim=1)
    return total_BD / real_BT.sum(dim=1, keepdim=True).clamp(min=1)
'''


class IndexPool(Operator, signature="x:BTD -> y:BD"):
    """The vector at place `index`; 0 is the first."""

    view: ClassVar[bool] = True

    index: int = 0

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.x}[:, {self.index}]"

    def onnx(self, b: Builder) -> Any:
        return b.op("Gather", b.x, b.index(self.index), axis=1)


class MeanPool(Operator, signature="x:BTD -> y:BD"):
    """The mean over the positions from `skip` on; where a short sequence may leave none
    (`maybe_none`), zeros."""

    skip: int = 0
    maybe_none: bool = False

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.x)

    def torch(self, w: Writer) -> str:
        if self.maybe_none:
            return f"{w.x}[:, {self.skip}:].sum(dim=1) / max({w.dim('T')} - {self.skip}, 1)"
        return f"{w.x}[:, {self.skip}:].mean(dim=1)" if self.skip else f"{w.x}.mean(dim=1)"

    def onnx(self, b: Builder) -> Any:
        x = b.x
        if self.skip:
            x = rest(b, x, self.skip, 1)
        if not self.maybe_none:
            return b.op("ReduceMean", x, b.ints(1), keepdims=0)
        count = b.op("Sub", b.lengths(b.dim("T")), b.ints(self.skip))
        count = b.op("Cast", b.op("Max", count, b.ints(1)), to=b.float_type)
        return b.op("Div", b.op("ReduceSum", x, b.ints(1), keepdims=0), count)


class MaskedMeanPool(Operator, signature="x:BTD, real:bool BT -> y:BD"):
    """The mean over the positions from `skip` on that are no padding (Reimers & Gurevych 2019);
    zeros where there is none."""

    skip: int = 0

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=2 * n.x)

    def torch(self, w: Writer) -> str:
        cut = f"[:, {self.skip}:]" if self.skip else ""
        return f"{w.helper('masked_mean', MASKED_MEAN)}({w.x}{cut}, {w.real}{cut})"

    def onnx(self, b: Builder) -> Any:
        x, real = b.x, b.op("Cast", b.op("Unsqueeze", b.real, b.ints(2)), to=b.float_type)
        if self.skip:
            x, real = (rest(b, v, self.skip, 1) for v in (x, real))
        above = b.op("ReduceSum", b.op("Mul", x, real), b.ints(1), keepdims=0)
        return b.op(
            "Div", above, b.op("Max", b.op("ReduceSum", real, b.ints(1), keepdims=0), b.number(1.0))
        )


class LastPool(Operator, signature="x:BTD, real?:bool BT -> y:BD"):
    """The vector of the last position, or of the last that is no padding; `back` places before
    it."""

    back: int = 0

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        return replace(super().traffic(n, weights), read=n.y)

    def torch(self, w: Writer) -> str:
        if not w.has("real"):
            return f"{w.x}[:, {-1 - self.back}]"
        x, real = w.named("x"), w.named("real")
        last = f"({real} * torch.arange({w.dim('T')}, device={x}.device)).argmax(dim=1)"
        if self.back:
            last = f"({last} - {self.back}).clamp(min=0)"
        return f"{x}[torch.arange({w.dim('B')}, device={x}.device), {last}]"

    def onnx(self, b: Builder) -> Any:
        if not b.has("real"):
            return b.op("Gather", b.x, b.index(-1 - self.back), axis=1)
        last = last_real(b, b.real)
        if self.back:
            last = b.op("Max", b.op("Sub", last, b.index(self.back)), b.index(0))
        return b.pick_row(b.x, last)


def last_real(b: Builder, real: Any) -> Any:
    """ONNX: the place of the last of T positions that is no padding, [B, T] to [B]."""
    places = b.op("Mul", b.op("Cast", real, to=b.int_type), b.range(b.dim("T")))
    return b.op("ArgMax", places, axis=1, keepdims=0)


class EosPool(Operator, signature="x:BTD, ids:int BT, real?:bool BT -> y:BD"):
    """The vector at the first id equal to `token`, or at the largest id where `token` is None
    (Radford et al. 2021). Ids of padding are no ids."""

    token: int | None = None

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        return replace(super().traffic(n, weights), read=n.y)

    def torch(self, w: Writer) -> str:
        x, ids = w.named("x"), w.named("ids")
        if w.has("real"):
            ids = f"{ids}.masked_fill(~{w.real}, -1)"
        place = (
            f"{ids}.argmax(dim=1)"
            if self.token is None
            else f"({ids} == {self.token}).int().argmax(dim=1)"
        )
        return f"{x}[torch.arange({w.dim('B')}, device={x}.device), {place}]"

    def onnx(self, b: Builder) -> Any:
        scores = b.op("Where", b.real, b.ids, b.index(-1)) if b.has("real") else b.ids
        if self.token is not None:
            scores = b.op("Cast", b.op("Equal", scores, b.index(self.token)), to=b.int_type)
        return b.pick_row(b.x, b.op("ArgMax", scores, axis=1, keepdims=0))
