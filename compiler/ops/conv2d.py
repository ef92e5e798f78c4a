"""Two-dimensional convolution; with a stride of its kernel it cuts an image into patches."""

from collections.abc import Mapping
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, product, value


class Conv2d(Operator, signature="x:BCXY; weight:DGQF, bias?:D -> y:BDIJ"):
    """`D` filters of Q x F taps over an image of C channels, giving I x J places.

    Each filter reads G = C / groups channels. `stride`, `pad` and `dilation` are (rows, columns).
    With a stride of its kernel and no padding it equals unfolding patches and multiplying with a
    matrix (Dosovitskiy et al. 2021, eq. 1).
    """

    ordered: ClassVar[bool] = True
    holder: ClassVar[str] = "nn.Conv2d"

    D: Size
    G: Size
    Q: Size
    F: Size
    I: Size
    J: Size
    stride: tuple[int, int] = (1, 1)
    pad: tuple[int, int] = (0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1
    bias: bool = False
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", (n["G"] * n["Q"] * n["F"]) ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=product((2, n.y, n.G, n.Q, n.F)), elementwise=n.y if self.bias else 0)

    def module(self, w: Writer) -> str:
        size = w.dim("Q") if self.Q == self.F else f"({w.dim('Q')}, {w.dim('F')})"
        options = [f"kernel_size={size}"]
        kernel = (w.fixed("Q"), w.fixed("F"))
        if self.stride == kernel != (1, 1):
            options.append(f"stride={size}")
        elif self.stride != (1, 1):
            options.append(f"stride={_either(self.stride)}")
        options += [f"padding={_either(self.pad)}"] if self.pad != (0, 0) else []
        options += [f"dilation={_either(self.dilation)}"] if self.dilation != (1, 1) else []
        options += [f"groups={self.groups}"] if self.groups > 1 else []
        options += [] if self.bias else ["bias=False"]
        return f"nn.Conv2d({w.dim('C')}, {w.dim('D')}, {', '.join(options)})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        rest = (b.bias,) if self.bias else ()
        return b.op(
            "Conv",
            b.x,
            b.weight,
            *rest,
            kernel_shape=[value(b.dim("Q")), value(b.dim("F"))],
            strides=list(self.stride),
            pads=[*self.pad, *self.pad],
            dilations=list(self.dilation),
            group=self.groups,
        )


def _either(pair: tuple[int, int]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else str(pair)
