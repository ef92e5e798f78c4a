"""Learned numbers of attention heads that stand beside queries and keys."""

from collections.abc import Mapping
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class Sink(Operator, signature="; weight:H -> sink:H"):
    """The scores of attention sinks (gpt-oss; Miller 2023 has them fixed at 0)."""

    view: ClassVar[bool] = True

    H: Size

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def module(self, w: Writer) -> str:
        return f'nn.ParameterDict({{"weight": torch.zeros({w.dim("H")})}})'

    def torch(self, w: Writer) -> str:
        return f"{w.self}.weight"

    def onnx(self, b: Builder) -> Any:
        return b.weight


class ScoreSum(Operator, signature="; weight:HK -> sum:HK"):
    """What weighs the coordinates of tanh(q + k): v of Bahdanau et al. 2015, appendix A.1.2, one a
    head. Drawn uniformly within ±1/√K, as torch draws a map of K inputs."""

    view: ClassVar[bool] = True

    H: Size
    K: Size

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("uniform", n["K"] ** -0.5)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def module(self, w: Writer) -> str:
        drawn = f"(2 * torch.rand({w.dim('H')}, {w.dim('K')}) - 1) * {w.dim('K')} ** -0.5"
        return f'nn.ParameterDict({{"weight": {drawn}}})'

    def torch(self, w: Writer) -> str:
        return f"{w.self}.weight"

    def onnx(self, b: Builder) -> Any:
        return b.weight
