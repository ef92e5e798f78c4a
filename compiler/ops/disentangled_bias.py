"""Scores of contents with distances, which disentangled attention adds to those of contents."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, as_poly, total, value
from compiler.ops.heads import by_head

PORTS: Final = "q:BHTK, k:BHSK, bucket:int TS, keys?:R(H*K), queries?:R(H*K) -> bias:BHTS"
SOURCE: Final = '''
def {name}(x_BHTK: Tensor, rows: Tensor, bucket_TS: Tensor) -> Tensor:
    """The product of every vector with the row of its distance to each of S places."""
    rows_HKR = rows.view(-1, *x_BHTK.shape[1::2]).permute(1, 2, 0)
    return (x_BHTK @ rows_HKR).gather(3, bucket_TS.expand(*x_BHTK.shape[:2], -1, -1))
'''


class DisentangledBias(Operator, signature=PORTS):
    """He et al. 2021, eq. 4: scale·(q·keysᵀ at the row of each key's distance, `c2p`, plus
    k·queriesᵀ at the same row, `p2c`); either may be absent.

    Products with all R rows are made and B·H·T·S of them picked. What hides keys comes after it,
    so that it looks as far as the attention that it is for.
    """

    scale: float

    def cost(self, n: Sizes) -> Cost:
        every = n.B * n.H * n.K * n.R
        sides = [size for port, size in ((n.keys, n.T), (n.queries, n.S)) if port.terms]
        products = sum((2 * every * size for size in sides), as_poly(0))
        return Cost(matmul=products, elementwise=len(sides) * n.bias, bias=n.bias)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        every = 2 * n.B * n.H * n.K * n.R
        sides = ((n.keys, n.T, ("q", "keys")), (n.queries, n.S, ("k", "queries")))
        found = [
            every * size * sum(port in moved for port in pair)
            for rows, size, pair in sides
            if rows.terms
        ]
        return total(found)

    def torch(self, w: Writer) -> str:
        terms = list(self._terms(w))
        added = terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"
        return f"{w.number(self.scale)} * {added}"

    def _terms(self, w: Writer) -> Iterator[str]:
        scores, bucket = w.helper("distance_scores", SOURCE), w.named("bucket")
        if w.has("keys"):
            yield f"{scores}({w.q}, {w.keys}, {bucket})"
        if w.has("queries"):
            yield f"{scores}({w.k}, {w.queries}, {bucket}.T).transpose(2, 3)"

    def onnx(self, b: Builder) -> Any:
        found = []
        if b.has("keys"):
            found.append(_picked(b, b.q, b.keys, b.bucket))
        if b.has("queries"):
            turned = [1, 0] if b.counts is None else [0, 1, 3, 2]
            asked = b.op("Transpose", b.bucket, perm=turned)
            found.append(b.op("Transpose", _picked(b, b.k, b.queries, asked), perm=[0, 1, 3, 2]))
        added = found[0] if len(found) == 1 else b.op("Add", *found)
        return b.op("Mul", added, b.number(self.scale))


def _picked(b: Builder, x: Any, rows: Any, bucket: Any) -> Any:
    """Products of vectors [B, T, H·K] with rows [R, H·K], at the row of each distance."""
    heads, width = (value(b.dim(letter)) for letter in "HK")
    apart = by_head(b, x, heads, width)
    table = b.op("Transpose", b.op("Reshape", rows, b.ints(-1, heads, width)), perm=[1, 2, 0])
    products = b.op("MatMul", apart, table)
    lengths = b.op("Shape", products, start=0, end=2)
    pairs = b.op("Shape", bucket) if b.counts is None else b.op("Shape", bucket, start=2)
    shape = b.op("Concat", lengths, pairs, axis=0)
    return b.op("GatherElements", products, b.op("Expand", bucket, shape), axis=3)
