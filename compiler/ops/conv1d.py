"""One-dimensional convolution over the positions of a sequence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.reach import Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, product


@dataclass(frozen=True)
class Conv1d(Operator, signature="x:BTI; weight:OGQ, bias?:O -> y:BTO"):
    """`O` filters of Q taps, `dilation` apart, over I channels; as many positions come out as went
    in.

    Each filter reads G = I / groups channels. `before` and `after` zeros are put around the
    sequence: all before it in a causal convolution (van den Oord et al. 2016, figure 2).
    """

    ordered: ClassVar[bool] = True
    holder: ClassVar[str] = "nn.Conv1d"

    O: Size
    G: Size
    Q: Size
    before: int
    after: int
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
        return Reach(self.before, self.after, every=self.dilation)

    def module(self, w: Writer) -> str:
        options = [f"kernel_size={w.dim('Q')}"]
        options += [f"padding={self.before}"] if self.before == self.after != 0 else []
        options += [f"dilation={self.dilation}"] if self.dilation > 1 else []
        options += [f"groups={self.groups}"] if self.groups > 1 else []
        options += [] if self.bias else ["bias=False"]
        return f"nn.Conv1d({w.dim('I')}, {w.dim('O')}, {', '.join(options)})"

    def torch(self, w: Writer) -> str:
        x = f"{w.x}.transpose(1, 2)"
        if self.before != self.after:
            x = f"F.pad({x}, ({self.before}, {self.after}))"
        return f"{w.self}({x}).transpose(1, 2)"

    def onnx(self, b: Builder) -> Any:
        rest = (b.bias,) if self.bias else ()
        y = b.op(
            "Conv",
            b.op("Transpose", b.x, perm=[0, 2, 1]),
            b.weight,
            *rest,
            pads=[self.before, self.after],
            dilations=[self.dilation],
            group=self.groups,
        )
        return b.op("Transpose", y, perm=[0, 2, 1])
