"""Attention written out, whose torch modules keep the weights of every run to be looked at."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.ir.rules import Writer
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.mixture import SourceWeights

START = (
    "",
    "    def __init__(self, queries: str, sources: str) -> None:",
    "        super().__init__()",
    "        self.queries, self.sources = queries, sources",
    "        self.kept: list[Tensor] = []",
    "",
)


@dataclass(frozen=True)
class KeptAttention(
    ScaledDotProductAttention, signature="q:BHTK, k:BGSK, v:BGSW, seen?:bool* -> y:BHTW"
):
    """`ScaledDotProductAttention` without a fused kernel and without dropout: in torch its module
    appends the weights of a run, [B, H, T, S], to its list `kept`.

    `queries` and `sources` are the letters of the two axes in the whole model.
    """

    queries: str = "T"
    sources: str = "S"

    def module(self, w: Writer) -> str:
        name = w.helper("KeptAttention", "\n".join(self._lines(w)))
        return f'{name}("{self.queries}", "{self.sources}")'

    def torch(self, w: Writer) -> str:
        seen = (w.seen,) if w.has("seen") else ()
        return f"{w.self}({', '.join((w.q, w.k, w.v, *seen))})"

    def _lines(self, w: Writer) -> Iterator[str]:
        masked = w.has("seen")
        scale = "q_BHTK.shape[-1] ** -0.5" if self.scale is None else w.number(self.scale)
        given = ", seen: Tensor | None" if masked and w.optional("seen") else ", seen: Tensor"
        taken = f"self, q_BHTK: Tensor, k_BGSK: Tensor, v_BGSW: Tensor{given if masked else ''}"
        yield "class {name}(nn.Module):"
        yield '    """Attention that keeps its weights, a tensor [B, H, T, S] for every run."""'
        yield from START
        yield f"    def forward({taken}) -> Tensor:"
        key, mixed = "k_BGSK", "v_BGSW"
        if self.grouped:
            key, mixed = "k", "v"
            yield "        share = q_BHTK.shape[1] // k_BGSK.shape[1]"
            yield "        k = k_BGSK.repeat_interleave(share, dim=1)"
            yield "        v = v_BGSW.repeat_interleave(share, dim=1)"
        yield f"        scores = (q_BHTK @ {key}.transpose(-2, -1)).float() * {scale}"
        if self.causal and not masked:
            yield "        T, S = scores.shape[-2:]"
            yield f"        seen = {_triangle('scores')}"
        elif self.causal and w.optional("seen"):
            yield "        if seen is None:"
            yield "            T, S = scores.shape[-2:]"
            yield f"            seen = {_triangle('scores')}"
        yield from self._softmax(masked and w.optional("seen"), masked or self.causal)
        yield "        self.kept.append(weights)"
        yield f"        return weights.to({mixed}.dtype) @ {mixed}"

    def _softmax(self, optional: bool, masked: bool) -> Iterator[str]:
        """The weights: exactly zero where a query may not look, all of a row that sees nothing."""
        lowest = "torch.finfo(scores.dtype).min"
        seen = f"scores.masked_fill(~seen, {lowest}).softmax(dim=-1) * seen"
        if optional and not self.causal:
            yield "        if seen is None:"
            yield "            weights = scores.softmax(dim=-1)"
            yield "        else:"
            yield f"            weights = {seen}"
        else:
            yield f"        weights = {seen if masked else 'scores.softmax(dim=-1)'}"


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


def _triangle(scores: str) -> str:
    """True where query t of T may look at the first S - T + t + 1 sources."""
    return f"torch.ones(T, S, dtype=torch.bool, device={scores}.device).tril(S - T)"
