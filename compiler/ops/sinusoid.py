"""Sinusoidal positions, computed and never learned."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value

Layout: TypeAlias = Literal["interleaved", "halves"]

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
    "interleaved": "torch.stack((angle.sin(), angle.cos()), dim=-1).flatten({axis})",
    "halves": "torch.cat((angle.sin(), angle.cos()), dim=-1)",
}


class Waves:
    """What the sinusoids of counted and of given places share."""

    base: float
    layout: Layout
    shortened: bool

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=2 * n.y)

    def source(self, w: Writer, template: str, axis: int) -> str:
        """The function that computes them; pairs are joined at `axis`."""
        span = f"({w.half('D')} - 1)" if self.shortened else f"({w.half('D')})"
        return template.format(
            name="{name}",
            base=w.constant("SINUSOID_BASE", self.base),
            pairs=w.half("D"),
            span=span,
            join=JOIN[self.layout].format(axis=axis),
        )

    def nodes(self, b: Builder, places: Any, shape: Sequence[Size]) -> Any:
        """The waves of integer places, in `shape`, whose last dimension is their width."""
        axis = len(shape) - 1
        pairs = value(b.dim("D")) // 2
        span = pairs - 1 if self.shortened else pairs
        rates = b.floats([self.base ** (-i / span) for i in range(pairs)])
        places = b.op("Cast", places, to=b.float_type)
        angle = b.op("Mul", b.op("Unsqueeze", places, b.ints(axis)), rates)
        sin, cos = b.op("Sin", angle), b.op("Cos", angle)
        if self.layout == "halves":
            return b.op("Concat", sin, cos, axis=-1)
        last = b.ints(axis + 1)
        both = (b.op("Unsqueeze", sin, last), b.op("Unsqueeze", cos, last))
        return b.reshape(b.op("Concat", *both, axis=axis + 1), shape)


class Sinusoid(Waves, Operator, signature="x:*TI, pos?:int -> y:TD"):
    """Vaswani et al. 2017, section 3.5: sin and cos of place / base^(2i/D), in pairs
    (`interleaved`) or all sines first.

    `D` is their width. i is divided by D/2, or where `shortened` by D/2 - 1, tensor2tensor's form.
    """

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    D: Size
    base: float = 10000.0
    layout: Layout = "interleaved"
    shortened: bool = False

    def torch(self, w: Writer) -> str:
        start = w.pos if w.has("pos") else "0"
        called = w.helper("sinusoid", self.source(w, SOURCE, axis=1))
        return f"{called}({start}, {w.dim('T')}, {w.x})"

    def onnx(self, b: Builder) -> Any:
        rows = () if b.counts is None else b.leading
        return self.nodes(b, b.positions("T"), (*rows, b.dim("T"), b.dim("D")))


class PlacedSinusoid(Waves, Operator, signature="x:BTI, place:int BT -> y:BTD"):
    """`Sinusoid` of given places, which differ from row to row."""

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    D: Size
    base: float = 10000.0
    layout: Layout = "interleaved"
    shortened: bool = False

    def torch(self, w: Writer) -> str:
        called = w.helper("sinusoid", self.source(w, PLACED, axis=2))
        return f"{called}({w.place}, {w.x})"

    def onnx(self, b: Builder) -> Any:
        return self.nodes(b, b.place, (b.dim("B"), b.dim("T"), b.dim("D")))
