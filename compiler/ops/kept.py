"""Attention written out, whose torch modules keep the weights of every run to be looked at."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.ir.rules import Writer
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.explicit_attention import PORTS
from compiler.ops.mixture import SourceWeights
from compiler.ops.written_out import WrittenOut, opened

START = (
    "",
    "    def __init__(self, queries: str, sources: str) -> None:",
    "        super().__init__()",
    "        self.queries, self.sources = queries, sources",
    "        self.kept: list[Tensor] = []",
    "",
)


@dataclass(frozen=True)
class KeptAttention(ScaledDotProductAttention, signature=PORTS):
    """Any attention without a fused kernel and without dropout: in torch its module appends the
    weights of a run, [B, H, T, S], to its list `kept`.

    `queries` and `sources` are the letters of the two axes in the whole model.
    """

    softcap: float | None = None
    queries: str = "T"
    sources: str = "S"

    def module(self, w: Writer) -> str:
        name = w.helper("KeptAttention", "\n".join(self._lines(w)))
        return f'{name}("{self.queries}", "{self.sources}")'

    def torch(self, w: Writer) -> str:
        return f"{w.self}({', '.join(WrittenOut(self, w).arguments)})"

    def _lines(self, w: Writer) -> Iterator[str]:
        text = WrittenOut(self, w, hiding=w.has("bias") and not w.has("seen"))
        yield "class {name}(nn.Module):"
        yield '    """Attention that keeps its weights, a tensor [B, H, T, S] for every run."""'
        yield from START
        yield from opened("def forward", ["self", *text.parameters], "    ")
        yield from (f"        {line}" for line in text.weights())
        yield "        self.kept.append(weights_BHTS)"
        yield "        return weights_BHTS.to(v_BHSW.dtype) @ v_BHSW"


@dataclass(frozen=True)
class KeptSourceWeights(SourceWeights, signature="scores:BS, seen?:bool BS -> weights:BS"):
    """`SourceWeights` whose torch module appends the weights of each step, [B, S], to its list
    `kept`; the letters are those of the two axes in the whole model."""

    queries: str = "T"
    sources: str = "S"

    def module(self, w: Writer) -> str:
        name = w.helper("KeptWeights", "\n".join(self._lines(w)))
        return f'{name}("{self.queries}", "{self.sources}")'

    def torch(self, w: Writer) -> str:
        seen = (w.seen,) if w.has("seen") else ()
        return f"{w.self}({', '.join((w.scores, *seen))})"

    def _lines(self, w: Writer) -> Iterator[str]:
        masked = w.has("seen")
        yield "class {name}(nn.Module):"
        yield '    """Softmax over the source that keeps its weights [B, S], step by step."""'
        yield from START
        seen = ", seen_BS: Tensor" if masked else ""
        yield f"    def forward(self, scores_BS: Tensor{seen}) -> Tensor:"
        if masked:
            yield "        lowest = torch.finfo(torch.float32).min"
            yield "        scores = scores_BS.float().masked_fill(~seen_BS, lowest)"
            yield "        weights_BS = scores.softmax(dim=-1) * seen_BS"
        else:
            yield "        weights_BS = scores_BS.float().softmax(dim=-1)"
        yield "        self.kept.append(weights_BS)"
        yield "        return weights_BS.to(scores_BS.dtype)"
