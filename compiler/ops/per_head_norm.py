"""Norms of queries and keys whose heads have gains of their own."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import value
from compiler.ops.head_norm import Heads
from compiler.ops.layer_norm import LayerNorm
from compiler.ops.rms_norm import RmsNorm

SOURCE: Final = '''
class {name}(nn.Module):
    """{what} whose heads have gains of their own."""

    def __init__(self, heads: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.{start}(heads, width)){bias}

    def forward(self, x: Tensor) -> Tensor:
        y = F.{function}(x.float(), (x.shape[-1],), eps={eps})
        return {scaled}
'''
BIAS: Final = """
        self.bias = nn.Parameter(torch.zeros(heads, width))"""


class PerHeadNorm(Operator, signature="x:BNTD; weight:ND, bias?:ND -> y:BNTD"):
    """`norm` over the width of each head, its gain a row of [N, D] (Cohere, StableLM 2 12B).

    Computed in float32, returned in the type of `x`.
    """

    normalizes: ClassVar[bool] = True
    wraps: ClassVar[bool] = True
    named: ClassVar[bool] = True

    norm: RmsNorm | LayerNorm

    def present(self, parameter: str) -> bool:
        return bool(getattr(self.norm, parameter, False))

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.norm.draw(name, n)

    def cost(self, n: Sizes) -> Cost:
        return self.norm.cost(n)

    def module(self, w: Writer) -> str:
        rms = isinstance(self.norm, RmsNorm)
        offset = self.norm.unit_offset
        source = SOURCE.format(
            name="{name}",
            what="RMSNorm" if rms else "LayerNorm",
            start="zeros" if offset else "ones",
            bias=BIAS if self.present("bias") else "",
            function="rms_norm" if rms else "layer_norm",
            eps=w.constant("EPS", self.norm.eps),
            scaled=self._scaled(offset),
        )
        name = w.helper("PerHeadRmsNorm" if rms else "PerHeadLayerNorm", source)
        return f"{name}({w.dim('N')}, {w.dim('D')})"

    def _scaled(self, offset: bool) -> str:
        """The result in Python, from the float32 `y`."""
        late = isinstance(self.norm, RmsNorm) and self.norm.multiply == "after_cast"
        weight = "self.weight[:, None]"
        gain = f"(1 + {weight}{'' if late else '.float()'})" if offset else weight
        if late:
            return f"y.to(x.dtype) * {gain}"
        shift = " + self.bias[:, None]" if self.present("bias") else ""
        return f"(y * {gain}{shift}).to(x.dtype)"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        # Heads come side by side in the width: see `Builder`.
        apart = b.op("Reshape", b.x, b.ints(0, 0, value(b.dim("N")), value(b.dim("D"))))
        y = self._bare.onnx(Heads(b, apart))
        weight = b.weight
        if self.norm.unit_offset:
            weight = b.op("Add", weight, b.number(1.0))
        y = b.op("Mul", y, weight)
        y = b.op("Add", y, b.bias) if self.present("bias") else y
        return b.op("Reshape", y, b.ints(0, 0, -1))

    @property
    def _bare(self) -> RmsNorm | LayerNorm:
        """The norm without parameters."""
        if isinstance(self.norm, LayerNorm):
            return LayerNorm(self.norm.eps, weight=False, bias=False)
        return RmsNorm(self.norm.eps, weight=False)
