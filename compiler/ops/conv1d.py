"""One-dimensional convolution over the positions of a sequence."""

from typing import Any

from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.filters import Filters


class Conv1d(Filters, Operator, signature="x:BTI; weight:OGQ, bias?:O -> y:BTO"):
    """`O` filters of Q taps, `dilation` apart, over I channels; as many positions come out as went
    in.

    Each filter reads G = I / groups channels. `before` and `after` zeros are put around the
    sequence: all before it in a causal convolution (van den Oord et al. 2016, figure 2).
    """

    O: Size
    G: Size
    Q: Size
    before: int
    after: int
    dilation: int = 1
    groups: int = 1
    bias: bool = False
    init: Init | None = None

    def torch(self, w: Writer) -> str:
        return f"{self.filtered(w, f'{w.x}.transpose(1, 2)')}.transpose(1, 2)"

    def onnx(self, b: Builder) -> Any:
        y = self.convolution(b, b.op("Transpose", b.x, perm=[0, 2, 1]))
        return b.op("Transpose", y, perm=[0, 2, 1])
