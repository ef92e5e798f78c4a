"""The last position alone: what a decoder that generates wants logits of."""

from dataclasses import replace
from typing import Any, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly
from compiler.ir.traffic import Traffic
from compiler.ops.pool import last_real
from compiler.ops.slices import END

LAST_REAL: Final = '''
def {name}(x_BTD: Tensor, real_BS: Tensor) -> Tensor:
    """The vector of the last of the new positions that is no padding, in every row."""
    B, T, _ = x_BTD.shape
    last_B = (real_BS[:, -T:] * torch.arange(T, device=x_BTD.device)).argmax(dim=1)
    return x_BTD[torch.arange(B, device=x_BTD.device), last_B][:, None]
'''


class LastPosition(Operator, signature="x:BTD, real?:bool BS -> y:B1D"):
    """The vector of the last of T positions, or of the last that is no padding; `real` covers all S
    that a decoder has seen, of which the T are the newest."""

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        return replace(super().traffic(n, weights), read=n.y)

    def torch(self, w: Writer) -> str:
        if not w.has("real"):
            return f"{w.x}[:, -1:]"
        return f"{w.helper('last_real', LAST_REAL)}({w.x}, {w.real})"

    def onnx(self, b: Builder) -> Any:
        if b.counts is not None:
            place = b.op("Unsqueeze", b.counts.end, b.ints(2))
            return b.op("GatherND", b.x, place, batch_dims=1)
        if not b.has("real"):
            return b.op("Gather", b.x, b.ints(-1), axis=1)
        return b.op("Unsqueeze", b.pick_row(b.x, self._places(b)), b.ints(1))

    def _places(self, b: Builder) -> Any:
        """Where the last real one of the T positions of each row is, [B]."""
        start = b.op("Neg", b.lengths(b.dim("T")))
        return last_real(b, b.op("Slice", b.real, start, b.ints(END), b.ints(1)))
