"""Rotary position embedding: angles of every place, and the turn of queries and keys by them."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, product, value

Pairs: TypeAlias = Literal["halves", "adjacent"]

ANGLES: Final = '''
def {name}(pos: int, T: int, device: torch.device) -> Tensor:
    """Angle of every place and coordinate; the two coordinates of a pair turn alike."""
    place_T = torch.arange(pos, pos + T, device=device)
    rate_K = {theta} ** (-torch.arange(0, {K}, 2, device=device).{twice}(2) / {K})
    return torch.outer(place_T, rate_K)
'''
PLACED: Final = '''
def {name}(place_BT: Tensor) -> Tensor:
    """Angle of every place and coordinate; the two coordinates of a pair turn alike."""
    rate_K = {theta} ** (-torch.arange(0, {K}, 2, device=place_BT.device).{twice}(2) / {K})
    return place_BT[:, None, :, None] * rate_K
'''
ROTATE: Final = '''
def {name}(x_BNTK: Tensor, angle_TK: Tensor) -> Tensor:
    """Turn coordinate i of the first half against coordinate i of the second."""
    a, b = x_BNTK.float().chunk(2, dim=-1)
    turned_BNTK = torch.cat((-b, a), dim=-1) * angle_TK.sin() + x_BNTK * angle_TK.cos()
    return turned_BNTK.to(x_BNTK.dtype)
'''
ROTATE_ADJACENT: Final = '''
def {name}(x_BNTK: Tensor, angle_TK: Tensor) -> Tensor:
    """Turn every even coordinate against the odd one after it."""
    x = x_BNTK.float()
    crossed_BNTK = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
    return (crossed_BNTK * angle_TK.sin() + x * angle_TK.cos()).to(x_BNTK.dtype)
'''


@dataclass(frozen=True)
class RopeAngles(Operator, signature="x:*TD, pos?:int -> angle:TK"):
    """Su et al. 2021, eq. 15: the angle of place t in pair i is t·theta^(-2i/K), in float32.

    Laid out as the pairs are: `halves` repeats the K/2 angles, `adjacent` doubles each.
    """

    K: Size
    theta: float = 10000.0
    pairs: Pairs = "halves"

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.angle)

    def torch(self, w: Writer) -> str:
        twice = "repeat" if self.pairs == "halves" else "repeat_interleave"
        source = ANGLES.format(
            name="{name}", theta=w.constant("ROPE_BASE", self.theta), K=w.dim("K"), twice=twice
        )
        pos = w.pos if w.has("pos") else "0"
        return f"{w.helper('angles', source)}({pos}, {w.dim('T')}, {w.x}.device)"

    def onnx(self, b: Builder) -> Any:
        width = value(b.dim("K"))
        rates = b.floats([self.theta ** (-i / width) for i in range(0, width, 2)])
        places = b.op("Cast", b.range(b.dim("T")), to=b.float_type)
        angle = b.op("Mul", b.op("Unsqueeze", places, b.ints(1)), rates)
        rows = b.lengths(*b.leading, b.dim("T"), width // 2)
        cos, sin = (
            b.op("Expand", b.op("Unsqueeze", b.op(f, angle), b.ints(0)), rows)
            for f in ("Cos", "Sin")
        )
        return cos, sin


@dataclass(frozen=True)
class PlacedAngles(Operator, signature="place:int BT -> angle:B1TK"):
    """`RopeAngles` of given places, which differ from row to row."""

    K: Size
    theta: float = 10000.0
    pairs: Pairs = "halves"

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.angle)

    def torch(self, w: Writer) -> str:
        twice = "repeat" if self.pairs == "halves" else "repeat_interleave"
        source = PLACED.format(
            name="{name}", theta=w.constant("ROPE_BASE", self.theta), K=w.dim("K"), twice=twice
        )
        return f"{w.helper('angles', source)}({w.place})"

    def onnx(self, b: Builder) -> Any:
        width = value(b.dim("K"))
        rates = b.floats([self.theta ** (-i / width) for i in range(0, width, 2)])
        places = b.op("Cast", b.place, to=b.float_type)
        angle = b.op("Mul", b.op("Unsqueeze", places, b.ints(2)), rates)
        return b.op("Cos", angle), b.op("Sin", angle)


@dataclass(frozen=True)
class Rotate(Operator, signature="x:BNTK, angle:*TR -> y:BNTK"):
    """Su et al. 2021, eq. 34, on the first R coordinates of each head.

    `halves` turns coordinate i with i + R/2 (GPT-NeoX), `adjacent` with its neighbour (the paper,
    GPT-J).
    """

    pairs: Pairs = "halves"
    partial: bool = False
    placed: bool = False
    """Whether each row of the batch has angles of its own."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=product((3, n.B, n.N, n.T, n.R)))

    def torch(self, w: Writer) -> str:
        source = ROTATE if self.pairs == "halves" else ROTATE_ADJACENT
        if self.placed:
            source = source.replace("angle_TK", "angle_B1TK")
        rotate = w.helper("rotate", source, K="R")
        if not self.partial:
            return f"{rotate}({w.x}, {w.angle})"
        x, turned = w.named("x"), w.dim("R")
        return f"torch.cat(({rotate}({x}[..., :{turned}], {w.angle}), {x}[..., {turned}:]), dim=-1)"

    def onnx(self, b: Builder) -> Any:
        cos, sin = b.angle
        options: dict[str, Any] = {}
        if self.partial:
            options["rotary_embedding_dim"] = value(b.dim("R"))
        return b.op(
            "RotaryEmbedding",
            b.x,
            cos,
            sin,
            interleaved=int(self.pairs == "adjacent"),
            num_heads=value(b.dim("N")),
            **options,
        )
