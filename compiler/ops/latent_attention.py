"""Multi-head latent attention: keys and values of all heads are maps of one vector a position."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Use
from compiler.ir.reach import Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.signature import ShapeError
from compiler.ir.size import Poly, Size, as_poly, total, value
from compiler.ir.traffic import Traffic
from compiler.ir.types import TensorType
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.visible_pairs import visible_pairs

PORTS: Final = "q:BHTK, row:BSZ, seen?:bool*, kv?:BCZ; weight:(H*N+H*W)R -> y:BHTW"
BEGINNING: Final = '''
def {name}(q_BHTK: Tensor, row_BSZ: Tensor, kv_b: nn.Linear{taken}) -> Tensor:
    """Keys and values of every head are mapped from the latent vectors, the first {R} columns; the
    others are the turned part of all keys."""
    kv = kv_b(row_BSZ[..., :{R}]).unflatten(-1, ({H}, -1)).transpose(1, 2)
    k, v = kv.split({parts}, dim=-1)
    turned = row_BSZ[:, None, :, {R}:].expand(-1, {H}, -1, -1)
    return F.scaled_dot_product_attention(q_BHTK, torch.cat((k, turned), dim=-1), v, {first})
'''
GOING_ON: Final = '''
def {name}(q_BHTK: Tensor, row_BSZ: Tensor, kv_b: nn.Linear{taken}, kv: Tensor | None) -> Tensor:
    """Where a sequence begins, keys and values of every head are mapped from the latent vectors in
    the first {R} columns. Later the maps go to queries and result, and heads share the rows.
    """
    c_BSR = row_BSZ[..., :{R}]
    begins = not torch.compiler.is_exporting() and q_BHTK.shape[2] == row_BSZ.shape[1]
    if kv is None or begins:
        k, v = kv_b(c_BSR).unflatten(-1, ({H}, -1)).transpose(1, 2).split({parts}, dim=-1)
        turned = row_BSZ[:, None, :, {R}:].expand(-1, {H}, -1, -1)
        return F.scaled_dot_product_attention(q_BHTK, torch.cat((k, turned), dim=-1), v, {first})
    key, value = kv_b.weight.unflatten(0, ({H}, -1)).split({parts}, dim=1)
    q, turned = q_BHTK.split({halves}, dim=-1)
    q_BHTZ = torch.cat((q @ key, turned), dim=-1)
    row_B1SZ, c_B1SR = row_BSZ[:, None], c_BSR[:, None]
    y_BHTR = F.scaled_dot_product_attention(q_BHTZ, row_B1SZ, c_B1SR, {later})
    return y_BHTR @ value.mT
'''


class LatentAttention(Operator, signature=PORTS):
    """DeepSeek-AI 2024 (DeepSeek-V2), eq. 9-19, after its projections and rotations.

    A row holds the latent vector c, R wide, and the turned part of the key, U wide, which all heads
    share. Head h has the key [K_h c; turned] and the value V_h c, where `weight` stacks the maps
    K_h [N, R] and V_h [W, R] of each head. A query is N + U wide; its score is scale·q·key.

    Where T = S, a sequence begins, and the keys and values are computed: the rows are mapped. Else
    q·K_h c = (K_hᵀq)·c: the query is mapped instead, and the mixture of the c after it, so that a
    decoder reads each row of its cache `kv` once for all heads. T // S, 1 or 0, tells the two apart
    in costs; an exported program with a cache always maps queries, at any position.
    """

    holder: ClassVar[str] = "nn.Linear"

    R: Size
    N: Size
    U: Size
    W: Size
    scale: float
    causal: bool = False
    dropout: float = 0.0
    window: int | None = None
    chunk: int | None = None
    init: Init | None = None

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        letters = self.bind(inputs, key).letters
        for whole, parts in (("K", "NU"), ("Z", "RU")):
            wanted, found = total(letters[part] for part in parts), letters[whole]
            if key.fix(wanted) != key.fix(found):
                raise ShapeError(whole, "q" if whole == "K" else "row", str(wanted), str(found))
        if self.causal and inputs[2] is None and key.fix(letters["T"]) != key.fix(letters["S"]):
            raise ValueError("queries of a part of the positions want a causal mask as `seen`")
        return super().infer(inputs, key)

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.init or Init("uniform", n["R"] ** -0.5)

    def cost(self, n: Sizes) -> Cost:
        begins = as_poly(n.T) // n.S
        pairs = visible_pairs(n.T, n.S, self.causal, self.window, self.chunk)
        scores = n.B * n.H * n.T * n.S
        wide, mixed = _either(begins, n.K + n.W, n.Z + n.R), _either(begins, n.W, n.R)
        maps = 2 * n.B * n.H * (n.N + n.W) * n.R * _either(begins, n.S, n.T)
        return Cost(
            matmul=2 * scores * wide + maps,
            visible=2 * n.B * n.H * pairs * wide + maps,
            maps=maps,
            mix=2 * scores * mixed,
            elementwise=5 * scores,
            scores=scores,
            statistics=n.B * n.H * n.T,
        )

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        """Keys and values of all heads, or queries and what is mixed for them, lie in between."""
        begins, plain = as_poly(n.T) // n.S, Operator.traffic(self, n, weights)
        first = n.S * (n.N + n.W + n.K)
        between = n.B * n.H * _either(begins, first, n.T * (2 * n.R + n.Z))
        return replace(
            plain,
            read=plain.read + between,
            written=plain.written + between,
            scores=n.B * n.H * n.T * n.S,
            statistics=n.B * n.H * n.T,
        )

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        """As plain attention, whose keys and values always have gradients: their maps have."""
        cost = self.cost(n)
        mix, maps = cost.total("mix"), cost.total("maps")
        scores = cost.total("matmul") - mix - maps
        own = 3 * scores if fused else scores * (1 + ("q" in moved))
        return own + 2 * mix + maps * (1 + ("row" in moved))

    def reach(self, port: str, key: Letters) -> Reach:
        plain = ScaledDotProductAttention(self.causal, window=self.window, chunk=self.chunk)
        return plain.reach("q" if port == "q" else "k", key)

    def module(self, w: Writer) -> str:
        each = w.sizes((as_poly(self.N) + self.W,))
        return f"nn.Linear({w.dim('R')}, {w.dim('H')} * {each}, bias=False)"

    def torch(self, w: Writer) -> str:
        taken, given = "", [w.q, w.row, w.self]
        options = [f"scale={self._factor(w)}"]
        if self.dropout:
            taken += ", dropout: float"
            given.append(f"{w.constant('DROPOUT', self.dropout)} if self.training else 0.0")
            options.insert(0, "dropout_p=dropout")
        first = later = options
        if w.has("seen"):
            may = w.optional("seen")
            taken += f", seen: Tensor{' | None' if may else ''}"
            given.append(w.seen)
            first = later = ["attn_mask=seen", *options]
            if self.causal and may:
                first = ["attn_mask=seen", "is_causal=seen is None", *options]
        elif self.causal:
            first = ["is_causal=True", *options]
        cached = w.has("kv")
        if cached:
            given.append(w.kv)
        source = (GOING_ON if cached else BEGINNING).format(
            name="{name}",
            taken=taken,
            R=w.dim("R"),
            H=w.dim("H"),
            parts=w.sizes((self.N, self.W)),
            halves=w.sizes((self.N, self.U)),
            first=", ".join(first),
            later=", ".join([*later, "enable_gqa=True"]),
        )
        return f"{w.helper('latent_attention', source)}({', '.join(given)})"

    def _factor(self, w: Writer) -> str:
        """The factor on scores: a power of the heads' width, or a constant of its own."""
        usual = w.power("K", self.scale)
        return usual if "**" in usual else w.constant("SCORE_SCALE", self.scale)

    def onnx(self, b: Builder) -> Any:
        if b.counts is not None:
            b.fall_back("keys and values are maps of one vector a position", b.dim("Z"))
        return self._mapped_rows(b) if b.dim("S") == b.dim("T") else self._mapped_queries(b)

    def _mapped_rows(self, b: Builder) -> Any:
        """Keys and values of every head, then plain attention."""
        heads = value(b.dim("H"))
        c, turned = b.op("Split", b.row, self._widths(b, "RU"), outputs=2, axis=-1)
        mapped = _cut(b, b.linear(c, "weight"), heads)
        k, v = b.op("Split", mapped, self._widths(b, "NW"), outputs=2, axis=-1)
        turned = b.op("Expand", _cut(b, turned, 1), b.ints(1, 1, heads, 1))
        k = _joined(b, b.op("Concat", k, turned, axis=-1))
        return self._attended(b, b.q, k, _joined(b, v), heads)

    def _mapped_queries(self, b: Builder) -> Any:
        """Queries and the mixture of every head, between them attention over the rows as they
        are."""
        heads = value(b.dim("H"))
        maps = b.op("Reshape", b.weight, b.ints(heads, -1, value(b.dim("R"))))
        key, mixed = b.op("Split", maps, self._widths(b, "NW"), outputs=2, axis=1)
        q, turned = b.op("Split", _cut(b, b.q, heads), self._widths(b, "NU"), outputs=2, axis=-1)
        q = _joined(b, b.op("Concat", _by_head(b, q, key), turned, axis=-1))
        c, _ = b.op("Split", b.row, self._widths(b, "RU"), outputs=2, axis=-1)
        y = _cut(b, self._attended(b, q, b.row, c, 1), heads)
        return _joined(b, _by_head(b, y, b.op("Transpose", mixed, perm=[0, 2, 1])))

    def _widths(self, b: Builder, letters: str) -> Any:
        return b.ints(*(value(b.dim(letter)) for letter in letters))

    def _attended(self, b: Builder, q: Any, k: Any, v: Any, keys: int) -> Any:
        options: dict[str, Any] = {"q_num_heads": value(b.dim("H")), "kv_num_heads": keys}
        if self.causal and not b.has("seen"):
            options["is_causal"] = 1
        given = (b.seen,) if b.has("seen") else ()
        return b.op("Attention", q, k, v, *given, scale=self.scale, **options)


def _either(begins: Poly, whole: Poly, later: Poly) -> Poly:
    """One size where a sequence begins, another one later."""
    return begins * whole + (1 - begins) * later


def _cut(b: Builder, x: Any, heads: int) -> Any:
    """[B, T, H·N] as [B, T, H, N]."""
    return b.op("Reshape", x, b.ints(0, 0, heads, -1))


def _joined(b: Builder, x: Any) -> Any:
    """[B, T, H, N] as [B, T, H·N]."""
    return b.op("Reshape", x, b.ints(0, 0, -1))


def _by_head(b: Builder, x: Any, maps: Any) -> Any:
    """[B, T, H, N] by [H, N, R] to [B, T, H, R]."""
    product = b.op("MatMul", b.op("Transpose", x, perm=[0, 2, 1, 3]), maps)
    return b.op("Transpose", product, perm=[0, 2, 1, 3])
