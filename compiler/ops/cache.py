"""The key/value cache of a decoder: keep what was seen, return all of it."""

from typing import Any, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size
from compiler.ir.traffic import Traffic
from compiler.ops.keeps import Keeps

SOURCE: Final = '''
def {name}(
    k_BGTK: Tensor, v_BGTK: Tensor, kv_2BGCK: Tensor | None, pos: int
) -> tuple[Tensor, Tensor]:
    """Put new keys and values at `pos` and return all seen; without a cache, the new ones."""
    if kv_2BGCK is None:
        return k_BGTK, v_BGTK
    end = pos + k_BGTK.shape[2]
    kv_2BGCK[0, :, :, pos:end] = k_BGTK
    kv_2BGCK[1, :, :, pos:end] = v_BGTK
    return kv_2BGCK[0, :, :, :end], kv_2BGCK[1, :, :, :end]
'''


class CacheUpdate(
    Keeps, Operator, signature="k:BGTK, v:BGTK, kv?:2BGCK, pos?:int -> k:BGSK, v:BGSK"
):
    """Keys and values of the T new positions go to slots `pos` to `pos + T` of `kv` [2, B, G, C,
    K]; all S = pos + T seen ones come out. Without `kv` they pass through and S is T. Keeps
    2·B·G·S·K elements between steps."""

    S: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost(state=2 * n.B * n.G * n.S * n.K)

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        """New rows go to their slots; the others stay where they are."""
        new = 2 * n.B * n.G * n.T * n.K
        return Traffic(read=new, written=new)

    def torch(self, w: Writer) -> str:
        return f"{w.helper('cached', SOURCE)}({w.k}, {w.v}, {w.kv}, {w.pos})"

    def onnx(self, b: Builder) -> Any:
        if not b.has("kv"):
            return b.k, b.v
        return b.keep_heads("key", b.k, "K"), b.keep_heads("value", b.v, "K")
