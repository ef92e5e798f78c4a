"""One-dimensional convolution over frames, channels before places."""

from typing import Any

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.filters import Filters


class FrameConv(Filters, Operator, signature="x:BIT; weight:OGQ, bias?:O -> y:BON"):
    """`O` filters of Q taps, `dilation` apart, put down at every `stride`-th place: N places come
    out (Radford et al. 2023, section 2.2, has two of them before its encoder).

    Each filter reads G = I / groups channels. `before` and `after` zeros are put around the T
    places.
    """

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

    def torch(self, w: Writer) -> str:
        return self.filtered(w, w.x)

    def onnx(self, b: Builder) -> Any:
        return self.convolution(b, b.x, strides=[self.stride])
