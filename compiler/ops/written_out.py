"""Attention step by step as Python: scores, masks, softmax."""

from collections.abc import Iterator
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.ir.rules import Writer

WIDEST: Final = 100
TRIANGLE: Final = (
    "T, S = scores_BHTS.shape[-2:]",
    "seen = torch.ones(T, S, dtype=torch.bool, device=scores_BHTS.device).tril(S - T)",
)
LOWEST: Final = "torch.finfo(torch.float32).min"


class WrittenOut(Frozen):
    """The text of one attention operator: parameters, and statements that end in weights.

    Softmax runs in float32. Weights are exactly zero where a query may not look, all of a row that
    sees nothing.
    """

    operator: Any
    w: Writer
    hiding: bool = False
    """Whether the bias says what is hidden, by -inf."""

    @property
    def key(self) -> str:
        """The name of the keys as they come."""
        return "k_BGSK" if self.operator.grouped else "k_BHSK"

    @property
    def value(self) -> str:
        """The name of the values as they come."""
        return "v_BGSW" if self.operator.grouped else "v_BHSW"

    @property
    def arguments(self) -> list[str]:
        """What the ports that are there are given."""
        ports = ("q", "k", "v", "seen", "bias", "sink", "sum")
        return [getattr(self.w, port) for port in ports if self.w.has(port)]

    @property
    def parameters(self) -> list[str]:
        """The same as parameters of a function."""
        masks = {
            "seen": "seen: Tensor | None" if self.w.optional("seen") else "seen: Tensor",
            "bias": "bias_NHTS: Tensor",
            "sink": "sink_H: Tensor",
            "sum": "sum_HK: Tensor",
        }
        given = [said for port, said in masks.items() if self.w.has(port)]
        return ["q_BHTK: Tensor", f"{self.key}: Tensor", f"{self.value}: Tensor", *given]

    def weights(self) -> Iterator[str]:
        """Statements that end in `weights_BHTS`, with the values as `v_BHSW`."""
        yield from self._scores()
        masked = self.operator.causal or self.w.has("seen") or self.hiding
        if self.w.optional("seen") and not self.operator.causal:
            yield "if seen is not None:"
            yield f"    scores_BHTS = scores_BHTS.masked_fill(~seen, {LOWEST})"
            yield "weights_BHTS = scores_BHTS.softmax(dim=-1)"
            yield "if seen is not None:"
            yield "    weights_BHTS = weights_BHTS * seen"
            return
        if self.hiding:
            yield "seen = bias_NHTS > -torch.inf"
        elif self.operator.causal and not self.w.has("seen"):
            yield from TRIANGLE
        elif self.operator.causal and self.w.optional("seen"):
            yield "if seen is None:"
            yield from (f"    {line}" for line in TRIANGLE)
        if masked:
            yield f"scores_BHTS = scores_BHTS.masked_fill(~seen, {LOWEST})"
        yield from self._softmax(masked)

    def _scores(self) -> Iterator[str]:
        operator, w = self.operator, self.w
        if operator.grouped:
            yield "group = q_BHTK.shape[1] // k_BGSK.shape[1]"
            yield "k_BHSK = k_BGSK.repeat_interleave(group, dim=1)"
            yield "v_BHSW = v_BGSW.repeat_interleave(group, dim=1)"
        if w.has("sum"):
            yield "added_BHTSK = torch.tanh(q_BHTK[:, :, :, None] + k_BHSK[:, :, None])"
            yield "scores_BHTS = (added_BHTSK @ sum_HK[:, None, :, None]).squeeze(-1).float()"
        else:
            given = operator.scale is not None
            scale = w.number(operator.scale) if given else "q_BHTK.shape[-1] ** -0.5"
            factor = "" if operator.scale == 1 else f" * {scale}"
            yield f"scores_BHTS = (q_BHTK @ k_BHSK.transpose(-2, -1)).float(){factor}"
        if w.has("bias"):
            yield "scores_BHTS = scores_BHTS + bias_NHTS"
        if operator.softcap is not None:
            cap = w.constant("SOFTCAP", operator.softcap)
            yield f"scores_BHTS = {cap} * torch.tanh(scores_BHTS / {cap})"

    def _softmax(self, masked: bool) -> Iterator[str]:
        if self.w.has("sink"):
            yield "sink_BHT1 = sink_H.float()[:, None, None].expand_as(scores_BHTS[..., :1])"
            yield "weights = torch.cat((scores_BHTS, sink_BHT1), dim=-1).softmax(dim=-1)"
            yield "weights_BHTS = weights[..., :-1]"
        else:
            seen = " * seen" if masked else ""
            yield f"weights_BHTS = scores_BHTS.softmax(dim=-1){seen}"


def opened(head: str, parameters: list[str], indent: str = "") -> Iterator[str]:
    """The lines that open a function which returns a tensor, none too wide."""
    line = f"{indent}{head}({', '.join(parameters)}) -> Tensor:"
    if len(line) + len("explicit_attention") <= WIDEST:
        yield line
        return
    yield f"{indent}{head}("
    inner = f"{indent}    {', '.join(parameters)}"
    if len(inner) <= WIDEST:
        yield inner
    else:
        yield from (f"{indent}    {each}," for each in parameters)
    yield f"{indent}) -> Tensor:"
