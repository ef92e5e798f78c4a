"""RMSNorm: divide by the root mean square of the last dimension, then scale."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import value

SOURCE: Final = '''
class {name}(nn.Module):
    """RMSNorm {what}."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.{start}(width))

    def forward(self, x: Tensor) -> Tensor:
        y = F.rms_norm(x.float(), (x.shape[-1],), eps={eps})
        return {scaled}
'''
VARIANTS: Final = {
    (False, "after_cast"): (
        "RmsNormAfterCast",
        "that rounds to the type of x before it scales",
        "y.to(x.dtype) * self.weight",
    ),
    (True, "before_cast"): (
        "OffsetRmsNorm",
        "whose stored weight is around zero: the gain is 1 + weight",
        "(y * (1 + self.weight.float())).to(x.dtype)",
    ),
    (True, "after_cast"): (
        "OffsetRmsNormAfterCast",
        "with the gain 1 + weight, rounded to the type of x before it scales",
        "y.to(x.dtype) * (1 + self.weight)",
    ),
}


class RmsNorm(Operator, signature="x:*D; weight?:D -> y:*D"):
    """Zhang & Sennrich 2019, eq. 4. Computed in float32, returned in the type of `x`.

    `unit_offset` scales by 1 + weight (Gemma); `multiply` says whether the scaling comes before or
    after the rounding to the type of `x`, which only low precision can tell apart.
    """

    normalizes: ClassVar[bool] = True
    wraps: ClassVar[bool] = True

    eps: float
    weight: bool = True
    unit_offset: bool = False
    multiply: Literal["before_cast", "after_cast"] = "before_cast"

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("zeros") if self.unit_offset else Init("ones")

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=4 * n.y)

    def module(self, w: Writer) -> str:
        if not self.weight:
            return ""
        eps = w.constant("EPS", self.eps)
        if not self.unit_offset and self.multiply == "before_cast":
            return f"nn.RMSNorm({w.dim('D')}, eps={eps})"
        name, what, scaled = VARIANTS[self.unit_offset, self.multiply]
        start = "zeros" if self.unit_offset else "ones"
        source = SOURCE.format(name="{name}", what=what, start=start, eps=eps, scaled=scaled)
        return f"{w.helper(name, source)}({w.dim('D')})"

    def torch(self, w: Writer) -> str:
        if self.weight:
            return f"{w.self}({w.x})"
        return f"F.rms_norm({w.x}, ({w.dim('D')},), eps={w.constant('EPS', self.eps)})"

    def onnx(self, b: Builder) -> Any:
        weight = b.weight if self.weight else b.floats([1.0] * value(b.dim("D")))
        if self.weight and self.unit_offset:
            weight = b.op("Add", weight, b.number(1.0))
        return b.normed("RMSNormalization", b.x, weight, epsilon=self.eps)
