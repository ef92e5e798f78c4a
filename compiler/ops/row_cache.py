"""The cache of a decoder that keeps one row for each position, whatever its heads are."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size
from compiler.ir.traffic import Traffic
from compiler.ops.keeps import Keeps

SOURCE: Final = '''
def {name}(x_BTZ: Tensor, kv_BCZ: Tensor | None, pos: int) -> Tensor:
    """Put new rows at `pos` and return all seen; without a cache, the new ones."""
    if kv_BCZ is None:
        return x_BTZ
    end = pos + x_BTZ.shape[1]
    kv_BCZ[:, pos:end] = x_BTZ
    return kv_BCZ[:, :end]
'''


class RowCacheUpdate(Keeps, Operator, signature="x:BTZ, kv?:BCZ, pos?:int -> y:BSZ"):
    """Rows of the T new positions go to slots `pos` to `pos + T` of `kv`; all S = pos + T seen ones
    come out. Without `kv` they pass through and S is T. Keeps B·S·Z elements between steps."""

    slots: ClassVar[tuple[str, int]] = ("rows", 1)

    S: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost(state=n.B * n.S * n.Z)

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        """New rows go to their slots; the others stay where they are."""
        new = n.x
        return Traffic(read=new, written=new)

    def torch(self, w: Writer) -> str:
        return f"{w.helper('cached_rows', SOURCE)}({w.x}, {w.kv}, {w.pos})"

    def onnx(self, b: Builder) -> Any:
        if not b.has("kv"):
            return b.x
        return b.keep(self.slots[0], b.x, [b.dim(letter) for letter in "BCZ"])
