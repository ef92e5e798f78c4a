"""Rotary position embedding: the turn of queries and keys by the angles of their places."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import product, value
from compiler.ops.angles import Pairs
from compiler.ops.grouped_query import turns_inside

HALVES: Final = '''
def {name}(x_BNTK: Tensor, angle_TK: Tensor) -> Tensor:
    """Turn coordinate i of the first half against coordinate i of the second."""
    a, b = x_BNTK.float().chunk(2, dim=-1)
    turned_BNTK = torch.cat((-b, a), dim=-1) * angle_TK.sin() + x_BNTK * angle_TK.cos()
    return turned_BNTK.to(x_BNTK.dtype)
'''
ADJACENT: Final = '''
def {name}(x_BNTK: Tensor, angle_TK: Tensor) -> Tensor:
    """Turn every even coordinate against the odd one after it."""
    x = x_BNTK.float()
    crossed_BNTK = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
    return (crossed_BNTK * angle_TK.sin() + x * angle_TK.cos()).to(x_BNTK.dtype)
'''
HALVES_LONGER: Final = '''
def {name}(x_BNTK: Tensor, angle_TK: Tensor) -> Tensor:
    """Turn coordinate i of the first half against coordinate i of the second, and stretch both."""
    a, b = x_BNTK.float().chunk(2, dim=-1)
    turned_BNTK = torch.cat((-b, a), dim=-1) * angle_TK.sin() + x_BNTK * angle_TK.cos()
    return ({gain} * turned_BNTK).to(x_BNTK.dtype)
'''
ADJACENT_LONGER: Final = '''
def {name}(x_BNTK: Tensor, angle_TK: Tensor) -> Tensor:
    """Turn every even coordinate against the odd one after it, and stretch both."""
    x = x_BNTK.float()
    crossed_BNTK = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
    turned_BNTK = crossed_BNTK * angle_TK.sin() + x * angle_TK.cos()
    return ({gain} * turned_BNTK).to(x_BNTK.dtype)
'''


class Rotate(Operator, signature="x:BNTK, angle:*TR -> y:BNTK"):
    """Su et al. 2021, eq. 34, on the first R coordinates of each head, or on the `last` ones.

    `halves` turns coordinate i with i + R/2 (GPT-NeoX), `adjacent` with its neighbour (the paper,
    GPT-J). `gain` multiplies sines and cosines, and so scores by its square: the temperature of
    Peng et al. 2023, eq. 21-22.
    """

    named: ClassVar[bool] = True

    pairs: Pairs = "halves"
    partial: bool = False
    placed: bool = False
    """Whether each row of the batch has angles of its own."""
    gain: float | None = None
    last: bool = False

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=product((3, n.B, n.N, n.T, n.R)))

    def torch(self, w: Writer) -> str:
        rotate = w.helper("rotate", self._source(w), K="R")
        if not self.partial:
            return f"{rotate}({w.x}, {w.angle})"
        x, turned = w.named("x"), w.dim("R")
        if self.last:
            ahead = f"{x}[..., :-{turned}]"
            return f"torch.cat(({ahead}, {rotate}({x}[..., -{turned}:], {w.angle})), dim=-1)"
        return f"torch.cat(({rotate}({x}[..., :{turned}], {w.angle}), {x}[..., {turned}:]), dim=-1)"

    def _source(self, w: Writer) -> str:
        if self.gain is None:
            source = HALVES if self.pairs == "halves" else ADJACENT
        else:
            source = HALVES_LONGER if self.pairs == "halves" else ADJACENT_LONGER
            source = source.replace("{gain}", w.constant("ROPE_GAIN", self.gain))
        return source.replace("angle_TK", "angle_B1TK") if self.placed else source

    def onnx(self, b: Builder) -> Any:
        heads, turning = value(b.dim("N")), value(b.dim("R"))
        if not (self.partial and self.last):
            part: dict[str, Any] = {"rotary_embedding_dim": turning} if self.partial else {}
            return self._turned(b, b.x, **part)
        ahead = value(b.dim("K")) - turning
        whole = b.op("Reshape", b.x, b.ints(0, 0, heads, ahead + turning))
        kept, x = b.op("Split", whole, b.ints(ahead, turning), outputs=2, axis=-1)
        x = self._turned(b, b.op("Reshape", x, b.ints(0, 0, heads * turning)))
        x = b.op("Reshape", x, b.ints(0, 0, heads, turning))
        return b.op("Reshape", b.op("Concat", kept, x, axis=-1), b.ints(0, 0, -1))

    def _turned(self, b: Builder, x: Any, **options: Any) -> Any:
        cos, sin, *tables = b.angle
        if self.gain is not None:
            cos, sin = (b.op("Mul", each, b.number(self.gain)) for each in (cos, sin))
        adjacent = self.pairs == "adjacent"
        heads = value(b.dim("N"))
        made = b.op(
            "RotaryEmbedding", x, cos, sin, interleaved=int(adjacent), num_heads=heads, **options
        )
        width, wide = value(b.dim("R")), value(b.dim("K"))
        if tables and turns_inside(width, wide) and (self.gain is None or width == wide):
            b.turned(made, x, tables, adjacent=adjacent, gain=self.gain or 1.0)
        return made
