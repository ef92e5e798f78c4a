"""A learned score for each head that takes part of the attention and gives nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


@dataclass(frozen=True)
class Sink(Operator, signature="; weight:H -> sink:H"):
    """The scores that attention sinks start from and learn (gpt-oss; Miller 2023 has them fixed at
    0)."""

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
