"""Scaled dot product attention over heads, queries in groups that share a key and value head."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Use
from compiler.ir.reach import HERE, Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size, constant, product, value
from compiler.ir.target import RUNTIME
from compiler.ir.traffic import Traffic
from compiler.ops.grouped_query import grouped_query, refused
from compiler.ops.heads import by_head, side_by_side
from compiler.ops.visible_pairs import visible_pairs

SHORT: Final = 384
"""Positions up to which the CPU's kernel that writes all scores is a fifth faster than the one that
does not; at 512 they take the same time."""


class ScaledDotProductAttention(
    Operator, signature="q:BHTK, k:BGSK, v:BGSW, seen?:bool* -> y:BHTW"
):
    """Vaswani et al. 2017, eq. 1: softmax over the source axis of scale·q·kᵀ, then the mixture of
    the values.

    Query head h reads key head h·G/H (Ainslie et al. 2023). `seen` broadcasts to [B, H, T, S], true
    where a query may look; without it `causal` lets query t of T look at the first S - T + t + 1
    sources. A row that sees nothing gives zeros. `grouped` says that H and G differ. Softmax runs
    in float32.

    `window` and `chunk` say how far the mask that `seen` is lets queries look; they change costs
    alone. `visible` is exact for them and for causal masks, and counts every pair that documents,
    padding or a given mask may hide.

    Fused kernels hold one log-sum-exp a row (Dao et al. 2022); unfused ones write all B·H·T·S
    scores.
    """

    fuses: ClassVar[bool] = True

    causal: bool = False
    grouped: bool = False
    scale: float | None = None
    dropout: float = 0.0
    window: int | None = None
    chunk: int | None = None

    def cost(self, n: Sizes) -> Cost:
        per_pair = 2 * n.B * n.H * (n.K + n.W)
        pairs = visible_pairs(n.T, n.S, self.causal, self.window, self.chunk)
        scores = n.B * n.H * n.T * n.S
        return Cost(
            matmul=per_pair * n.T * n.S,
            visible=per_pair * pairs,
            mix=2 * n.B * n.H * n.W * n.T * n.S,
            elementwise=5 * scores,
            scores=scores,
            statistics=n.B * n.H * n.T,
        )

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        scores = n.B * n.H * n.T * n.S
        return replace(super().traffic(n, weights), scores=scores, statistics=n.B * n.H * n.T)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        """Dao et al. 2022, algorithm 4: a fused kernel makes the scores once more and then all
        gradients, five products for two; else one for each operand."""
        if not moved:
            return 0
        cost = self.cost(n)
        scores, mix = cost.total("matmul") - cost.total("mix"), cost.total("mix")
        if fused and self.fuses:
            return 3 * scores + 2 * mix
        shares = bool(set(moved) - {"v"})
        return scores * self.compared(moved) + mix * (shares + ("v" in moved))

    def compared(self, moved: Collection[str]) -> int:
        """How many operands of the products that are the scores gradients go to."""
        return ("q" in moved) + ("k" in moved)

    def reach(self, port: str, key: Letters) -> Reach:
        if port == "q":
            return HERE
        sizes = [size for size in (self._side, self.chunk and self.chunk - 1) if size is not None]
        far = min(sizes, default=None)
        return Reach(far, 0 if self.causal else far, self.chunk)

    @property
    def _side(self) -> int | None:
        """How far the window lets a query look to a side."""
        return self.window - 1 if self.window is not None and self.causal else self.window

    def torch(self, w: Writer) -> str:
        return self.fused(w, w.seen if w.has("seen") else "")

    def fused(self, w: Writer, mask: str) -> str:
        """The call of torch's kernel with a mask, of booleans or to be added; empty for none."""
        options = [f"attn_mask={mask}"] if mask else []
        if self.dropout:
            options.append(
                f"dropout_p={w.constant('DROPOUT', self.dropout)} if self.training else 0.0"
            )
        if self.causal and not mask:
            options.append("is_causal=True")
        elif self.causal and w.optional("seen"):
            options.append(f"is_causal={mask} is None")
        if self.scale is not None:
            options.append(f"scale={w.number(self.scale)}")
        if self.grouped:
            options.append("enable_gqa=True")
        return f"F.scaled_dot_product_attention({', '.join([w.q, w.k, w.v, *options])})"

    def refused(self, b: Builder) -> str:
        """Why ONNX Runtime's attention for decoders cannot do it; empty where it can."""
        return refused(b)

    @property
    def capped(self) -> dict[str, float]:
        """The attribute that ONNX's attentions have for what becomes of scores before the mask."""
        return {}

    def onnx(self, b: Builder) -> Any:
        if b.counts is not None and b.caches("k"):
            reason = self.refused(b)
            if not reason:
                return grouped_query(b, scale=self.scale, window=self.window, **self.capped)
            b.fall_back(reason, product((b.dim("G"), b.dim("K") + b.dim("W"))))
        return self.apart(b)

    def apart(self, b: Builder) -> Any:
        """The nodes where no kernel counts rows and hides by itself."""
        return self.node(b, None if not b.has("seen") or b.optional("seen") else b.seen)

    def node(self, b: Builder, mask: Any, **more: float) -> Any:
        """The node of ONNX's operator with a mask, of booleans or to be added, or None."""
        if b.held("k"):
            return self._of_source(b, mask, **more)
        if b.counts is not None and b.caches("k") and mask is not None:
            return self._by_head(b, b.every("k"), b.every("v"), mask, **more)
        options: dict[str, Any] = {
            "q_num_heads": value(b.dim("H")),
            "kv_num_heads": value(b.dim("G")),
            **more,
        }
        if self.scale is not None:
            options["scale"] = self.scale
        if self.causal and mask is None:
            options["is_causal"] = 1
        k: Any = None
        v: Any = None
        if b.counts is None:  # else each row ends at a place of its own, and parts are joined first
            k, v = b.kept("k"), b.kept("v")
        plain = mask is None and not (self.causal or self.grouped or more)
        if k is None and plain and b.target.fuses and not self._short(b):
            return self._of_every_pair(b, b.k, b.v)
        if k is None:
            given = () if mask is None else (mask,)
            return b.op("Attention", b.q, b.k, b.v, *given, **options)
        ports = (b.q, k.new, v.new, mask, k.past, v.past)
        named = (k.present, v.present)
        return b.op("Attention", *ports, outputs=3, named=named, **options)[0]

    def _short(self, b: Builder) -> bool:
        """Whether ONNX's own operator is the faster one: on a CPU, where lengths are small."""
        if b.target.provider != "cpu":
            return False
        queries, sources = (constant(b.dim(letter)) for letter in "TS")
        return queries is not None and sources is not None and max(queries, sources) <= SHORT

    def _of_source(self, b: Builder, mask: Any, **more: float) -> Any:
        """Over keys and values that an encoder has made: heads stand apart from the width. ONNX
        Runtime's own node takes them so where they are equally wide."""
        k, v = b.held("k").whole, b.held("v").whole
        alike = value(b.dim("K")) == value(b.dim("W"))
        if b.target.fuses and alike and mask is None and not (self.grouped or more):
            return self._of_every_pair(b, k, v)
        return self._by_head(b, k, v, mask, **more)

    def _by_head(self, b: Builder, k: Any, v: Any, mask: Any, **more: float) -> Any:
        """Over keys and values whose heads are on an axis: those are not moved for it."""
        options: dict[str, Any] = more if self.scale is None else {"scale": self.scale, **more}
        heads, wide, width = (value(b.dim(letter)) for letter in "HKW")
        given = () if mask is None else (mask,)
        found = b.op("Attention", by_head(b, b.q, heads, wide), k, v, *given, **options)
        return side_by_side(b, found, heads * width)

    def _of_every_pair(self, b: Builder, k: Any, v: Any) -> Any:
        """ONNX Runtime's own node where every query sees every source: no newer operator set."""
        options: dict[str, Any] = {"num_heads": value(b.dim("H"))}
        if self.scale is not None:
            options["scale"] = self.scale
        return b.op("MultiHeadAttention", b.q, k, v, domain=RUNTIME, **options)
