"""Contrast: how alike the vectors of two towers are, pair by pair."""

from collections.abc import Mapping
from math import log
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer

SOURCE: Final = '''
class {name}(nn.Module):
    """Cosines of all pairs, {what}."""

    def __init__(self) -> None:
        super().__init__()
{made}

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        cosine = F.normalize(x, dim=-1) @ F.normalize(y, dim=-1).T
        return {result}
'''


class Contrast(Operator, signature="x:BD, y:ND; temperature?:, bias?: -> logits:BN"):
    """`exp(temperature) * cos(x, y) + bias` for all pairs (Radford et al. 2021, figure 3; with a
    bias Zhai et al. 2023, algorithm 1), or `cos(x, y) / fixed`.

    Drawn as there: a temperature of 0.07, with a bias of -10 one of 0.1.
    """

    operands: ClassVar[tuple[str, str]] = ("x", "y")

    fixed: float | None = None
    bias: bool = False

    def present(self, parameter: str) -> bool:
        return self.bias if parameter == "bias" else self.fixed is None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("constant", self._start if name == "temperature" else -10.0)

    def cost(self, n: Sizes) -> Cost:
        norms = 3 * n.x + 3 * n.y
        return Cost(matmul=2 * n.B * n.N * n.D, elementwise=norms + (1 + self.bias) * n.logits)

    def module(self, w: Writer) -> str:
        if self.fixed is not None and not self.bias:
            return ""
        what, made, result = [], [], "cosine"
        if self.fixed is None:
            what.append("times the exponential of a learned number")
            made.append(f"self.temperature = nn.Parameter(torch.tensor({w.number(self._start)}))")
            result += " * self.temperature.exp()"
        else:
            what.append(f"by {w.number(self.fixed)}")
            result += f" / {w.number(self.fixed)}"
        if self.bias:
            what.append("plus another one" if self.fixed is None else "plus a learned number")
            made.append("self.bias = nn.Parameter(torch.tensor(-10.0))")
            result += " + self.bias"
        lines = "\n".join(f"        {line}" for line in made)
        source = SOURCE.format(name="{name}", what=", ".join(what), made=lines, result=result)
        return f"{w.helper('Contrast', source)}()"

    def torch(self, w: Writer) -> str:
        if self.fixed is None or self.bias:
            return f"{w.self}({w.x}, {w.y})"
        cosine = f"F.normalize({w.x}, dim=-1) @ F.normalize({w.y}, dim=-1).T"
        return f"{cosine} / {w.number(self.fixed)}"

    def onnx(self, b: Builder) -> Any:
        x, y = (self._unit(b, value) for value in (b.x, b.y))
        logits = b.op("MatMul", x, b.op("Transpose", y, perm=[1, 0]))
        factor = b.number(1 / self.fixed) if self.fixed else b.op("Exp", b.temperature)
        logits = b.op("Mul", logits, factor)
        return b.op("Add", logits, b.bias) if self.bias else logits

    @property
    def _start(self) -> float:
        return round(log(10 if self.bias else 1 / 0.07), 4)

    @staticmethod
    def _unit(b: Builder, x: Any) -> Any:
        length = b.op("ReduceL2", x, b.ints(-1), keepdims=1)
        return b.op("Div", x, b.op("Max", length, b.number(1e-12)))
