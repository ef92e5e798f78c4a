"""A factor on queries that grows with the logarithm of their position."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer

FACTORS: Final = '''
def {name}(pos: int, T: int, device: torch.device) -> Tensor:
    """A factor for queries of T places from `pos` on, {floor} places alike."""
    place_T = torch.arange(pos, pos + T, device=device)
    return 1 + {scale} * torch.log1p((place_T[:, None] + 1) // {floor})
'''
PLACED: Final = '''
def {name}(place_BT: Tensor) -> Tensor:
    """A factor for queries of each place, {floor} places alike."""
    return 1 + {scale} * torch.log1p((place_BT[:, None, :, None] + 1) // {floor})
'''


class Temperatures(Operator, signature="x:*TD, pos?:int -> factor:T1"):
    """1 + scale·ln(1 + ⌊(t + 1) / floor⌋) at place t, in float32 (Nakanishi 2025; Llama 4)."""

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True

    scale: float
    floor: int

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=5 * n.factor)

    def torch(self, w: Writer) -> str:
        source = FACTORS.format(name="{name}", **_constants(w, self.scale, self.floor))
        pos = w.pos if w.has("pos") else "0"
        return f"{w.helper('temperatures', source)}({pos}, {w.dim('T')}, {w.x}.device)"

    def onnx(self, b: Builder) -> Any:
        places = b.op("Unsqueeze", b.positions("T"), b.ints(-1))
        return _factors(b, places, self.scale, self.floor)


class PlacedTemperatures(Operator, signature="place:int BT -> factor:B1T1"):
    """`Temperatures` of given places, which differ from row to row."""

    ordered: ClassVar[bool] = True

    scale: float
    floor: int

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=5 * n.factor)

    def torch(self, w: Writer) -> str:
        source = PLACED.format(name="{name}", **_constants(w, self.scale, self.floor))
        return f"{w.helper('temperatures', source)}({w.place})"

    def onnx(self, b: Builder) -> Any:
        places = b.op("Unsqueeze", b.place, b.ints(1, 3))
        return _factors(b, places, self.scale, self.floor)


class Sharpen(Operator, signature="q:BNTK, factor:*T1 -> y:BNTK"):
    """Queries times the factor of their place, in the type of `q`."""

    named: ClassVar[bool] = True

    placed: bool = False
    """Whether each row of the batch has factors of its own."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.y)

    def torch(self, w: Writer) -> str:
        q = w.named("q")
        return f"({q} * {w.factor}).to({q}.dtype)"

    def onnx(self, b: Builder) -> Any:
        # Heads come side by side in the width: see `Builder`.
        factor = b.op("Squeeze", b.factor, b.ints(1)) if self.placed else b.factor
        return b.op("Mul", b.q, factor)


def _constants(w: Writer, scale: float, floor: int) -> dict[str, str]:
    return {"scale": w.constant("SHARPEN", scale), "floor": w.constant("FLOOR", floor)}


def _factors(b: Builder, places: Any, scale: float, floor: int) -> Any:
    pieces = b.op("Div", b.op("Add", places, b.index(1)), b.index(floor))
    grown = b.op("Log", b.op("Add", b.op("Cast", pieces, to=b.float_type), b.number(1.0)))
    return b.op("Add", b.op("Mul", grown, b.number(scale)), b.number(1.0))
