"""Embedding and projection with a table that another node owns: tied and shared weights."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly
from compiler.ir.traffic import Traffic, moved


class SharedEmbedding(Operator, signature="ids:int*, weight:VD -> y:*D"):
    """Row `ids` of a borrowed table."""

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        """Of the table the rows that are picked."""
        ids, _ = n.inputs
        return moved(() if ids is None else (ids,), n.outputs, table=n.y)

    def torch(self, w: Writer) -> str:
        return f"F.embedding({w.ids}, {w.weight})"

    def onnx(self, b: Builder) -> Any:
        return b.look_up("weight", b.ids)


class SharedLinear(Operator, signature="x:*D, weight:VD; bias?:V -> y:*V"):
    """`y = x Eᵀ + b` with a borrowed table E (Press & Wolf 2017), and perhaps a bias of its own;
    2·rest·D·V FLOPs."""

    bias: bool = False

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=2 * n.rest * n.D * n.V, elementwise=n.y if self.bias else 0)

    def module(self, w: Writer) -> str:
        return f'nn.ParameterDict({{"bias": torch.zeros({w.dim("V")})}})' if self.bias else ""

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        plain = super().traffic(n, weights)
        return replace(plain, weights=weights + n.weight, table=n.weight, read=n.x)

    def torch(self, w: Writer) -> str:
        bias = f", {w.self}.bias" if self.bias else ""
        return f"F.linear({w.x}, {w.weight}{bias})"

    def onnx(self, b: Builder) -> Any:
        return b.linear(b.x, "weight", "bias" if self.bias else "")
