"""Token shift: the mean of a position and the one before it, with learned shares."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.reach import Reach
from compiler.ir.rules import Builder, Sizes, Writer

SOURCE: Final = '''
class {name}(nn.Module):
    """Each position mixed with the one before it, by a share for each channel."""

    def __init__(self, width: int, start: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((width,), start))

    def forward(self, x_BTD: Tensor) -> Tensor:
        before_BTD = F.pad(x_BTD, (0, 0, 1, -1))
        return before_BTD + (x_BTD - before_BTD) * self.weight
'''


class PreviousMix(Operator, signature="x:BTD; weight:D -> y:BTD"):
    """Peng et al. 2023, eq. 11: `w x_t + (1 - w) x_(t-1)`, with zeros before the first position."""

    ordered: ClassVar[bool] = True
    start: float

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("constant", self.start)

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=3 * n.y)

    def reach(self, port: str, key: Letters) -> Reach:
        return Reach(back=1)

    def module(self, w: Writer) -> str:
        return f"{w.helper('PreviousMix', SOURCE)}({w.dim('D')}, {w.number(self.start)})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        before = b.op("Pad", b.x, b.ints(1, -1), None, b.ints(1))
        own = b.op("Mul", b.op("Sub", b.x, before), b.weight)
        return b.op("Add", before, own)
