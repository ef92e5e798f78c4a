"""Attention written out, whose torch modules keep the weights of every run to be looked at."""

from collections.abc import Iterator
from typing import Final

from compiler.ir.rules import Writer
from compiler.ir.size import as_poly
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.explicit_attention import PORTS
from compiler.ops.latent_attention import PORTS as LATENT_PORTS
from compiler.ops.latent_attention import LatentAttention
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


LATENT: Final = '''
class {name}(nn.Linear):
    """Attention over latent vectors that keeps its weights, [B, H, T, S] for every run."""

    def __init__(self, queries: str, sources: str) -> None:
        super().__init__({R}, {H} * {each}, bias=False)
        self.queries, self.sources = queries, sources
        self.kept: list[Tensor] = []

    def forward(self, q_BHTK: Tensor, row_BSZ: Tensor{taken}) -> Tensor:
        kv = super().forward(row_BSZ[..., :{R}]).unflatten(-1, ({H}, -1)).transpose(1, 2)
        k, v = kv.split({parts}, dim=-1)
        turned = row_BSZ[:, None, :, {R}:].expand(-1, {H}, -1, -1)
        k_BHSK = torch.cat((k, turned), dim=-1)
        scores_BHTS = (q_BHTK @ k_BHSK.mT).float() * {scale}
{masked}
        self.kept.append(weights_BHTS)
        return weights_BHTS.to(v.dtype) @ v
'''
WHOLE: Final = "weights_BHTS = scores_BHTS.softmax(dim=-1)"
HIDDEN: Final = (
    "lowest = torch.finfo(torch.float32).min",
    "weights_BHTS = scores_BHTS.masked_fill(~seen, lowest).softmax(dim=-1) * seen",
)
TRIANGLE: Final = "seen = torch.ones_like(scores_BHTS[0, 0], dtype=torch.bool).tril()"


class KeptLatentAttention(LatentAttention, signature=LATENT_PORTS):
    """`LatentAttention` whose torch module maps the rows, whatever was cached, and appends the
    weights of a run, [B, H, T, S], to its list `kept`; the letters are those of the two axes."""

    queries: str = "T"
    sources: str = "S"

    def module(self, w: Writer) -> str:
        made = LATENT.format(
            name="{name}",
            R=w.dim("R"),
            H=w.dim("H"),
            each=w.sizes((as_poly(self.N) + self.W,)),
            parts=w.sizes((self.N, self.W)),
            taken=self._taken(w),
            scale=w.number(self.scale),
            masked="\n".join(f"        {line}" for line in self._lines(w)),
        )
        return f'{w.helper("KeptLatentAttention", made)}("{self.queries}", "{self.sources}")'

    def torch(self, w: Writer) -> str:
        seen = (w.seen,) if w.has("seen") else ()
        return f"{w.self}({', '.join((w.q, w.row, *seen))})"

    def _taken(self, w: Writer) -> str:
        if not w.has("seen"):
            return ""
        return f", seen: Tensor{' | None' if w.optional('seen') else ''}"

    def _lines(self, w: Writer) -> Iterator[str]:
        if not self.causal and not w.has("seen"):
            yield WHOLE
            return
        if not w.has("seen"):
            yield TRIANGLE
        elif w.optional("seen"):
            yield "if seen is None:"
            yield f"    {TRIANGLE}"
        yield from HIDDEN


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
