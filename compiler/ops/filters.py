"""What filters along one axis share, whichever way round the axis lies."""

from collections.abc import Mapping
from math import gcd
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.reach import EVERYWHERE, Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, product, value


class Filters:
    """`O` filters of Q taps, `dilation` apart, over I channels of which each reads G = I / groups;
    `before` and `after` zeros stand around the places.

    Drawn as torch draws `nn.Conv1d`, unless `init` says otherwise.
    """

    holder: ClassVar[str] = "nn.Conv1d"
    ordered: ClassVar[bool] = True

    Q: Size
    stride: int = 1
    before: int
    after: int
    dilation: int
    groups: int
    bias: bool
    init: Init | None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", (n["G"] * n["Q"]) ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=product((2, n.y, n.G, n.Q)), elementwise=n.y if self.bias else 0)

    def reach(self, port: str, key: Letters) -> Reach:
        """Place n reads n - before and every `dilation`-th place behind it, Q in all."""
        if self.stride > 1:
            return EVERYWHERE  # places that come out are not those that went in
        ahead = (value(key.fix(self.Q)) - 1) * self.dilation - self.before
        return Reach(self.before, max(ahead, 0), every=gcd(self.before, self.dilation))

    def module(self, w: Writer) -> str:
        options = [f"kernel_size={w.dim('Q')}"]
        options += [f"stride={self.stride}"] if self.stride > 1 else []
        options += [f"padding={self.before}"] if self.before == self.after != 0 else []
        options += [f"dilation={self.dilation}"] if self.dilation > 1 else []
        options += [f"groups={self.groups}"] if self.groups > 1 else []
        options += [] if self.bias else ["bias=False"]
        return f"{self.holder}({w.dim('I')}, {w.dim('O')}, {', '.join(options)})"

    def filtered(self, w: Writer, x: str) -> str:
        """The expression over `x`, channels before places."""
        if self.before != self.after:
            x = f"F.pad({x}, ({self.before}, {self.after}))"
        return f"{w.self}({x})"

    def convolution(self, b: Builder, x: Any, **more: Any) -> Any:
        """The ONNX node over `x`, channels before places."""
        rest = (b.bias,) if self.bias else ()
        pads, dilations = [self.before, self.after], [self.dilation]
        return b.op(
            "Conv", x, b.weight, *rest, **more, pads=pads, dilations=dilations, group=self.groups
        )
