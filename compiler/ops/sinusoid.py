"""Sinusoidal positions, computed and never learned."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import value

SOURCE: Final = '''
def {name}(pos: int, T: int, like: Tensor) -> Tensor:
    """Sines and cosines of geometrically falling frequency for places `pos` to `pos + T`."""
    place = torch.arange(pos, pos + T, device=like.device)[:, None]
    rate = {base} ** (-torch.arange({pairs}, device=like.device) / {span})
    angle = place * rate
    return {join}.to(like.dtype)
'''
JOIN: Final = {
    "interleaved": "torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)",
    "halves": "torch.cat((angle.sin(), angle.cos()), dim=-1)",
}


@dataclass(frozen=True)
class Sinusoid(Operator, signature="x:*TD, pos?:int -> y:TD"):
    """Vaswani et al. 2017, section 3.5: sin and cos of place / base^(2i/D), in pairs (`interleaved`) or all sines first.

    `span` is what i is divided by: D/2, or D/2 - 1 in tensor2tensor's form.
    """

    base: float = 10000.0
    layout: Literal["interleaved", "halves"] = "interleaved"
    shortened: bool = False

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=2 * n.y)

    def torch(self, w: Writer) -> str:
        span = f"({w.half('D')} - 1)" if self.shortened else f"({w.half('D')})"
        source = SOURCE.format(
            name="{name}",
            base=w.constant("SINUSOID_BASE", self.base),
            pairs=w.half("D"),
            span=span,
            join=JOIN[self.layout],
        )
        start = w.pos if w.has("pos") else "0"
        return f"{w.helper('sinusoid', source)}({start}, {w.dim('T')}, {w.x})"

    def onnx(self, b: Builder) -> Any:
        pairs = value(b.dim("D")) // 2
        span = pairs - 1 if self.shortened else pairs
        rates = b.floats([self.base ** (-i / span) for i in range(pairs)])
        places = b.op("Cast", b.range(b.dim("T")), to=b.float_type)
        angle = b.op("Mul", b.op("Unsqueeze", places, b.ints(1)), rates)
        sin, cos = b.op("Sin", angle), b.op("Cos", angle)
        if self.layout == "halves":
            return b.op("Concat", sin, cos, axis=-1)
        pairs_last = b.op(
            "Concat", b.op("Unsqueeze", sin, b.ints(2)), b.op("Unsqueeze", cos, b.ints(2)), axis=2
        )
        return b.reshape(pairs_last, (b.dim("T"), 2 * pairs))
