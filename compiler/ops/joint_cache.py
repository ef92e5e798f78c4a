"""The cache of a decoder whose values are of another width than its keys."""

from typing import Any, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size
from compiler.ir.traffic import Traffic
from compiler.ops.keeps import Keeps

SOURCE: Final = '''
def {name}(k: Tensor, v: Tensor, kv: Tensor | None, pos: int) -> tuple[Tensor, Tensor]:
    """Put new keys and values side by side at `pos`; return all seen, all new without a cache."""
    if kv is None:
        return k, v
    end = pos + k.shape[2]
    kv[:, :, pos:end] = torch.cat((k, v), dim=-1)
    seen_k, seen_v = kv[:, :, :end].split((k.shape[-1], v.shape[-1]), dim=-1)
    return seen_k, seen_v
'''


class JointCacheUpdate(
    Keeps, Operator, signature="k:BGTK, v:BGTW, kv?:BGCZ, pos?:int -> k:BGSK, v:BGSW"
):
    """As `CacheUpdate`, with one row of K + W elements a position in `kv` [B, G, C, K + W]."""

    S: Size
    Z: Size

    def cost(self, n: Sizes) -> Cost:
        return Cost(state=n.B * n.G * n.S * (n.K + n.W))

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        """New rows go to their slots; the others stay where they are."""
        new = n.B * n.G * n.T * (n.K + n.W)
        return Traffic(read=new, written=new)

    def torch(self, w: Writer) -> str:
        return f"{w.helper('cached_side_by_side', SOURCE)}({w.k}, {w.v}, {w.kv}, {w.pos})"

    def onnx(self, b: Builder) -> Any:
        if not b.has("kv"):
            return b.k, b.v
        return b.keep_heads("key", b.k, "K"), b.keep_heads("value", b.v, "W")
