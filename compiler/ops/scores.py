"""How a decoder's state is compared with every position of its source."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value


class AdditiveScores(Operator, signature="q:BA, k:BSA; weight:NA -> scores:BS"):
    """vᵀ·tanh(q + k), the alignment model of Bahdanau et al. 2015, appendix A.1.2; N is 1.

    Pairs every step with every source position. Training keeps all B·T·S scores: no fused kernel
    spans steps.
    """

    holder: ClassVar[str] = "nn.Linear"

    N: Size = 1
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.init or Init("uniform", n["A"] ** -0.5)

    def cost(self, n: Sizes) -> Cost:
        work = {"matmul": 2 * n.k, "elementwise": 6 * n.k}
        return Cost(**work, scores=n.scores, statistics=n.scores)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        return self.cost(n).total("matmul") * (1 + bool(moved))

    def module(self, w: Writer) -> str:
        return f"nn.Linear({w.dim('A')}, 1, bias=False)"

    def torch(self, w: Writer) -> str:
        return f"{w.self}(torch.tanh({w.q}[:, None] + {w.k})).squeeze(-1)"

    def onnx(self, b: Builder) -> Any:
        asked = b.op("Tanh", b.op("Add", b.op("Unsqueeze", b.q, b.ints(1)), b.k))
        return b.op("Squeeze", b.op("MatMul", asked, b.transposed("weight")), b.ints(2))


class DotScores(Operator, signature="q:BD, k:BSD -> scores:BS"):
    """qᵀ·k of each source position (Luong et al. 2015, eq. 8, dot), by √D if `scaled`.

    Training keeps all B·T·S scores: no fused kernel spans steps.
    """

    operands: ClassVar[tuple[str, str]] = ("q", "k")

    scaled: bool = False

    def cost(self, n: Sizes) -> Cost:
        scaling = n.scores if self.scaled else 0
        return Cost(matmul=2 * n.k, elementwise=scaling, scores=n.scores, statistics=n.scores)

    def torch(self, w: Writer) -> str:
        found = f"({w.k} @ {w.q}[..., None]).squeeze(-1)"
        return f"{found} * {w.dim('D')} ** -0.5" if self.scaled else found

    def onnx(self, b: Builder) -> Any:
        found = b.op("MatMul", b.k, b.op("Unsqueeze", b.q, b.ints(2)))
        found = b.op("Squeeze", found, b.ints(2))
        if not self.scaled:
            return found
        return b.op("Mul", found, b.number(value(b.dim("D")) ** -0.5))
