"""Linear biases: minus a slope of each head times the distance of query and key."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value

SOURCE: Final = '''
def {name}(pos: int, T: int, like: Tensor) -> Tensor:
    """Minus the slope of each head times how far each key is from T queries from `pos` on."""
    {slopes}
    place_S = torch.arange(pos + T, device=like.device)
    {distance}
    return (-slope_H[:, None, None] * far_TS)[None].to(like.dtype)
'''
EVEN: Final = "slope_H = 2.0 ** (-torch.arange(1, {H} + 1, device=like.device) * {most} / {H})"
BETWEEN: Final = """slope_N = 2.0 ** (-torch.arange(1, {N} + 1, device=like.device) * {most} / {N})
    slope_H = torch.cat((slope_N[1::2], slope_N[::2]))[:{H}]"""
BEHIND: Final = "far_TS = place_S[pos:, None] - place_S"
APART: Final = "far_TS = (place_S[pos:, None] - place_S).abs()"


class Alibi(Operator, signature="x:*TD, pos?:int -> bias:1HTS"):
    """Press et al. 2022, section 3: -slope_h·|q - k| for queries from `pos` on and all S keys.

    Slopes fall geometrically to 2^-`max_bias`, times `scale`. With `causal` distances keep their
    sign: later keys, which a mask hides, get no penalty.
    """

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    H: Size
    S: Size
    max_bias: float = 8.0
    scale: float = 1.0
    causal: bool = True

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.bias, bias=n.bias)

    def torch(self, w: Writer) -> str:
        heads, power = w.fixed("H"), _power(w.fixed("H"))
        text = EVEN if heads == power else BETWEEN
        slopes = text.format(H=w.dim("H"), N=power, most=w.constant("MAX_BIAS", self.max_bias))
        if self.scale != 1.0:
            slopes += f" * {w.number(self.scale)}"
        source = SOURCE.format(
            name="{name}", slopes=slopes, distance=BEHIND if self.causal else APART
        )
        pos = w.pos if w.has("pos") else "0"
        return f"{w.helper('alibi', source)}({pos}, {w.dim('T')}, {w.x})"

    def onnx(self, b: Builder) -> Any:
        falling = [-slope for slope in slopes(value(b.dim("H")), self.max_bias, self.scale)]
        back = b.op("Sub", b.column(b.positions("T")), b.range(b.dim("S")))
        far = b.op("Cast", back, to=b.float_type)
        if not self.causal:
            far = b.op("Abs", far)
        return b.op("Mul", b.op("Unsqueeze", b.floats(falling), b.ints(0, 2, 3)), far)


def slopes(heads: int, max_bias: float, scale: float) -> list[float]:
    """The slope of every head: those of the next power of two, every second one first."""
    power = _power(heads)
    found = [scale * 2.0 ** (-max_bias * each / power) for each in range(1, power + 1)]
    return found if power == heads else (found[1::2] + found[::2])[:heads]


def _power(heads: int) -> int:
    """The least power of two that is no smaller."""
    return 1 << (heads - 1).bit_length()
