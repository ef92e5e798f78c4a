"""Biases of attention scores: a learned number for each head and bucket of places."""

from collections.abc import Mapping
from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size


class BucketBias(Operator, signature="bucket:int TS; weight:RH -> bias:1HTS"):
    """Column h of the row `bucket` of a table, for every pair of a query and a key.

    Picking computes nothing, but writes H·T·S numbers. Drawn from a normal distribution of
    deviation 1, as torch does, unless `init` says otherwise.
    """

    looked_up: ClassVar[bool] = True

    R: Size
    H: Size
    init: Init | None = None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        return self.init or Init("normal", 1.0)

    def cost(self, n: Sizes) -> Cost:
        return Cost(bias=n.bias)

    def module(self, w: Writer) -> str:
        return f"nn.Embedding({w.dim('R')}, {w.dim('H')})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}.weight.T[:, {w.bucket}][None]"

    def onnx(self, b: Builder) -> Any:
        table = b.transposed("weight")
        if b.counts is None:
            return b.op("Unsqueeze", b.op("Gather", table, b.bucket, axis=1), b.ints(0))
        found = b.op("Gather", table, b.op("Squeeze", b.bucket, b.ints(1)), axis=1)
        return b.op("Transpose", found, perm=[1, 0, 2, 3])
