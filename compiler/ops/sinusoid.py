"""Sinusoidal positions, computed and never learned."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value

SOURCE: Final = '''
def {name}(pos: int, T: int, like: Tensor) -> Tensor:
    """Sines and cosines of geometrically falling frequency for places `pos` to `pos + T`."""
    place = torch.arange(pos, pos + T, device=like.device)[:, None]
    rate = {base} ** (-torch.arange({pairs}, device=like.device) / {span})
    angle = place * rate
    return {join}.to(like.dtype)
'''
PLACED: Final = '''
def {name}(place_BT: Tensor, like: Tensor) -> Tensor:
    """Sines and cosines of geometrically falling frequency for every place."""
    rate = {base} ** (-torch.arange({pairs}, device=like.device) / {span})
    angle = place_BT[..., None] * rate
    return {join}.to(like.dtype)
'''
JOIN: Final = {
    "interleaved": "torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)",
    "halves": "torch.cat((angle.sin(), angle.cos()), dim=-1)",
}


@dataclass(frozen=True)
class Sinusoid(Operator, signature="x:*TI, pos?:int -> y:TD"):
    """Vaswani et al. 2017, section 3.5: sin and cos of place / base^(2i/D), in pairs
    (`interleaved`) or all sines first.

    `D` is their width. `span` is what i is divided by: D/2, or D/2 - 1 in tensor2tensor's form.
    """

    D: Size
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


@dataclass(frozen=True)
class PlacedSinusoid(Operator, signature="x:BTI, place:int BT -> y:BTD"):
    """`Sinusoid` of given places, which differ from row to row."""

    D: Size
    base: float = 10000.0
    layout: Literal["interleaved", "halves"] = "interleaved"
    shortened: bool = False

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=2 * n.y)

    def torch(self, w: Writer) -> str:
        span = f"({w.half('D')} - 1)" if self.shortened else f"({w.half('D')})"
        source = PLACED.format(
            name="{name}",
            base=w.constant("SINUSOID_BASE", self.base),
            pairs=w.half("D"),
            span=span,
            join=JOIN[self.layout].replace("flatten(1)", "flatten(2)"),
        )
        return f"{w.helper('sinusoid', source)}({w.place}, {w.x})"

    def onnx(self, b: Builder) -> Any:
        pairs = value(b.dim("D")) // 2
        span = pairs - 1 if self.shortened else pairs
        rates = b.floats([self.base ** (-i / span) for i in range(pairs)])
        places = b.op("Cast", b.place, to=b.float_type)
        angle = b.op("Mul", b.op("Unsqueeze", places, b.ints(2)), rates)
        sin, cos = b.op("Sin", angle), b.op("Cos", angle)
        if self.layout == "halves":
            return b.op("Concat", sin, cos, axis=-1)
        pairs_last = b.op(
            "Concat", b.op("Unsqueeze", sin, b.ints(3)), b.op("Unsqueeze", cos, b.ints(3)), axis=3
        )
        return b.reshape(pairs_last, (b.dim("B"), b.dim("T"), 2 * pairs))
