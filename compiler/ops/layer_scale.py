"""LayerScale: a learned factor for each channel of a branch."""

from collections.abc import Mapping
from typing import Any, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer

SOURCE: Final = '''
class {name}(nn.Module):
    """A learned factor for each channel."""

    def __init__(self, width: int, start: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((width,), start))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight
'''


class LayerScale(Operator, signature="x:*D; weight:D -> y:*D"):
    """Touvron et al. 2021, eq. 3: `x * weight`, drawn as `start` everywhere."""

    start: float

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("constant", self.start)

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.y)

    def module(self, w: Writer) -> str:
        return f"{w.helper('LayerScale', SOURCE)}({w.dim('D')}, {w.number(self.start)})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        return b.op("Mul", b.x, b.weight)
