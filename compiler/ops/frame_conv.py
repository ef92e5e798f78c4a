"""One-dimensional convolution over frames, channels before places."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.reach import EVERYWHERE, Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, product


@dataclass(frozen=True)
class FrameConv(Operator, signature="x:BIT; weight:OGQ, bias?:O -> y:BON"):
    """`O` filters of Q taps, `dilation` apart, put down at every `stride`-th place: N places come
    out (Radford et al. 2023, section 2.2, has two of them before its encoder).

    Each filter reads G = I / groups channels. `before` and `after` zeros are put around the T
    places.
    """

    ordered: ClassVar[bool] = True
    holder: ClassVar[str] = "nn.Conv1d"

    O: Size
    G: Size
    Q: Size
    N: Size
    stride: int = 1
    before: int = 0
    after: int = 0
    dilation: int = 1
    groups: int = 1
    bias: bool = False
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", (n["G"] * n["Q"]) ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=product((2, n.y, n.G, n.Q)), elementwise=n.y if self.bias else 0)

    def reach(self, port: str) -> Reach:
        if self.stride == 1 == self.dilation:
            return Reach(self.before, self.after)
        return EVERYWHERE  # places that come out are not those that went in

    def module(self, w: Writer) -> str:
        options = [f"kernel_size={w.dim('Q')}"]
        options += [f"stride={self.stride}"] if self.stride > 1 else []
        options += [f"padding={self.before}"] if self.before == self.after != 0 else []
        options += [f"dilation={self.dilation}"] if self.dilation > 1 else []
        options += [f"groups={self.groups}"] if self.groups > 1 else []
        options += [] if self.bias else ["bias=False"]
        return f"nn.Conv1d({w.dim('I')}, {w.dim('O')}, {', '.join(options)})"

    def torch(self, w: Writer) -> str:
        if self.before == self.after:
            return f"{w.self}({w.x})"
        return f"{w.self}(F.pad({w.x}, ({self.before}, {self.after})))"

    def onnx(self, b: Builder) -> Any:
        rest = (b.bias,) if self.bias else ()
        return b.op(
            "Conv",
            b.x,
            b.weight,
            *rest,
            strides=[self.stride],
            pads=[self.before, self.after],
            dilations=[self.dilation],
            group=self.groups,
        )
