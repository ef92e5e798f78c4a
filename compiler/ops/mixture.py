"""Weights over a source and the mixture of it that they make, one query at a time."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer

LOWEST: Final = -3.4028234663852886e38
"""The lowest number of float32."""

MASKED: Final = '''
def {name}(scores_BS: Tensor, seen_BS: Tensor) -> Tensor:
    """Softmax over the real sources, in float32; zeros in a row that has none."""
    lowest = torch.finfo(torch.float32).min
    weights_BS = scores_BS.float().masked_fill(~seen_BS, lowest).softmax(dim=-1) * seen_BS
    return weights_BS.to(scores_BS.dtype)
'''


class SourceWeights(Operator, signature="scores:BS, seen?:bool BS -> weights:BS"):
    """Softmax over the source (Bahdanau et al. 2015, eq. 6) in float32; zeros where none is
    real."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=5 * n.scores)

    def torch(self, w: Writer) -> str:
        if w.has("seen"):
            return f"{w.helper('source_weights', MASKED)}({w.scores}, {w.seen})"
        scores = w.named("scores")
        return f"{scores}.float().softmax(dim=-1).to({scores}.dtype)"

    def onnx(self, b: Builder) -> Any:
        if not b.has("seen"):
            return b.op("Softmax", b.scores, axis=-1)
        kept = b.op("Where", b.seen, b.scores, b.number(LOWEST))
        real = b.op("Cast", b.seen, to=b.float_type)
        return b.op("Mul", b.op("Softmax", kept, axis=-1), real)


class Mixture(Operator, signature="weights:BS, v:BSM -> mix:BM"):
    """The weighted sum of the source, the context vector c_i (Bahdanau et al. 2015, eq. 5)."""

    operands: ClassVar[tuple[str, str]] = ("weights", "v")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=2 * n.v, mix=2 * n.v)

    def torch(self, w: Writer) -> str:
        return f"({w.weights}[:, None] @ {w.v}).squeeze(1)"

    def onnx(self, b: Builder) -> Any:
        rows = b.op("Unsqueeze", b.weights, b.ints(1))
        return b.op("Squeeze", b.op("MatMul", rows, b.v), b.ints(1))
