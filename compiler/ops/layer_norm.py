"""LayerNorm: subtract the mean of the last dimension, divide by its standard deviation, then scale
and shift."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import value

OFFSET: Final = '''
class {name}(nn.Module):
    """LayerNorm whose stored weight is around zero: the gain is 1 + weight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width)){made}

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, (x.shape[-1],), 1 + self.weight, {bias}{eps})
'''


class LayerNorm(Operator, signature="x:*D; weight?:D, bias?:D -> y:*D"):
    """Ba, Kiros & Hinton 2016, eq. 4, with `eps` under the root.

    `unit_offset` scales by 1 + weight, added in the type of the weight (Nemotron-4, Parmar et al.
    2024).
    """

    normalizes: ClassVar[bool] = True
    wraps: ClassVar[bool] = True

    eps: float
    weight: bool = True
    bias: bool = True
    unit_offset: bool = False

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("ones") if name == "weight" and not self.unit_offset else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=5 * n.y)

    def module(self, w: Writer) -> str:
        if not self.weight:
            return ""
        if self.unit_offset:
            return self._offset(w)
        bias = "" if self.bias else ", bias=False"
        return f"nn.LayerNorm({w.dim('D')}, eps={w.constant('EPS', self.eps)}{bias})"

    def torch(self, w: Writer) -> str:
        if self.weight:
            return f"{w.self}({w.x})"
        return f"F.layer_norm({w.x}, ({w.dim('D')},), eps={w.constant('EPS', self.eps)})"

    def onnx(self, b: Builder) -> Any:
        width = value(b.dim("D"))
        weight = b.weight if self.weight else b.floats([1.0] * width)
        if self.weight and self.unit_offset:
            weight = b.op("Add", weight, b.number(1.0))
        rest = (b.bias,) if self.bias else ()
        return b.normed("LayerNormalization", b.x, weight, *rest, epsilon=self.eps)

    def _offset(self, w: Writer) -> str:
        made = "\n        self.bias = nn.Parameter(torch.zeros(width))" if self.bias else ""
        bias = "self.bias, " if self.bias else "eps="
        eps = w.constant("EPS", self.eps)
        source = OFFSET.format(name="{name}", made=made, bias=bias, eps=eps)
        return f"{w.helper('OffsetLayerNorm', source)}({w.dim('D')})"
