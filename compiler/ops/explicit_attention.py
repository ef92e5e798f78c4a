"""Attention step by step: what no fused kernel computes, soft-capped scores and sinks."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, as_poly
from compiler.ir.traffic import STATISTIC, Traffic
from compiler.ir.types import TensorType
from compiler.ops.activation import FLOPS
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.attention_nodes import mixture, scores, shares
from compiler.ops.hidden import hidden
from compiler.ops.written_out import WrittenOut, opened

PORTS: Final = "q:BHTK, k:BGSK, v:BGSW, seen?:bool*, bias?:NHTS, sink?:H, sum?:HK -> y:BHTW"
SAYS: Final = '    """Attention step by step, its softmax in float32."""'


class ExplicitAttention(ScaledDotProductAttention, signature=PORTS):
    """`ScaledDotProductAttention` whose scores are scale·q·kᵀ, plus `bias`, then soft-capped to
    cap·tanh(score / cap) (Bello et al. 2016, eq. 16; Gemma 2), then masked.

    `sink` [H] is the score of one more source, which every query of its head sees and which has no
    value (gpt-oss; Xiao et al. 2024): the weights of a row add up to less than one. With `sum`
    [H, K] a score is sum·tanh(q + k) instead (Bahdanau et al. 2015, appendix A.1.2, in heads) and
    B·H·T·S·K sums are written. All B·H·T·S scores are, and a causal mask comes as `seen`.
    """

    fuses: ClassVar[bool] = False

    softcap: float | None = None

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        seen = inputs[3]
        if self.causal and (seen is None or seen.optional):
            raise ValueError("step by step a causal mask comes as `seen`")
        return super().infer(inputs, key)

    def cost(self, n: Sizes) -> Cost:
        written = n.B * n.H * n.T * n.S
        capped = FLOPS["tanh"] + 2 if self.softcap is not None else 0
        more = (capped + bool(n.bias.terms)) * written + 5 * n.B * n.T * n.sink
        added = written * n.K if n.sum.terms else as_poly(0)
        more = more + (1 + FLOPS["tanh"]) * added
        fused = super().cost(n)
        kept = written + added - fused.total("statistics")
        return fused + Cost(elementwise=more, statistics=kept)

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        """Scores in float32 are written and read twice, the sums of additive ones once."""
        plain = Operator.traffic(self, n, weights)
        written = n.B * n.H * n.T * n.S
        between = 2 * written * STATISTIC
        added = written * n.K if n.sum.terms else as_poly(0)
        return replace(
            plain,
            read=plain.read + added,
            written=plain.written + added,
            read_fixed=plain.read_fixed + between,
            written_fixed=plain.written_fixed + between,
        )

    def compared(self, moved: Collection[str]) -> int:
        if "sum" in moved:
            return 1 + bool({"q", "k"} & set(moved))
        return super().compared(moved)

    def torch(self, w: Writer) -> str:
        text = WrittenOut(self, w)
        name = w.helper("explicit_attention", "\n".join(self._lines(text)))
        given = text.arguments
        if self.dropout:
            given.append(f"{w.constant('DROPOUT', self.dropout)} if self.training else 0.0")
        return f"{name}({', '.join(given)})"

    def _lines(self, text: WrittenOut) -> Iterator[str]:
        drops = ["dropout: float"] if self.dropout else []
        yield from opened("def {name}", [*text.parameters, *drops])
        yield SAYS
        yield from (f"    {line}" for line in text.weights())
        if self.dropout:
            yield "    weights_BHTS = F.dropout(weights_BHTS, dropout)"
        yield "    return weights_BHTS.to(v_BHSW.dtype) @ v_BHSW"

    def refused(self, b: Builder) -> str:
        return self._beyond(b) or super().refused(b)

    def _beyond(self, b: Builder) -> str:
        """What no attention of ONNX or its runtime does."""
        if b.has("sum"):
            return "scores are sums of queries and keys"
        if self.softcap is not None and b.has("bias"):
            return "a bias is added to scores before they are capped"
        return ""

    @property
    def capped(self) -> dict[str, float]:
        return {} if self.softcap is None else {"softcap": self.softcap}

    def apart(self, b: Builder) -> Any:
        """One `Attention` where it has all ports and its order of soft cap and bias is ours."""
        if b.has("sink") or self._beyond(b):
            return mixture(b, shares(b, scores(b, self.scale, self.softcap)))
        bias = hidden(b, b.bias) if b.has("bias") else None
        mask = b.seen if bias is None and b.has("seen") else bias
        return self.node(b, mask, **self.capped)
