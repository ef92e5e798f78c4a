"""Add a matrix to every sequence of a batch: positions to embeddings."""

from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class AddRows(Operator, signature="x:*TD, rows:TD -> y:*TD"):
    """`x + rows` with the same rows for every sequence."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.y)

    def torch(self, w: Writer) -> str:
        return f"{w.x} + {w.rows}"

    def onnx(self, b: Builder) -> Any:
        return b.op("Add", b.x, b.rows)
