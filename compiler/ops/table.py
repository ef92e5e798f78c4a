"""What operators share that own a table of learned rows."""

from collections.abc import Mapping
from typing import ClassVar

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.rules import Sizes, Writer


class TableOwner:
    """A table of `rows` (a letter of the signature) by `D`, held as `nn.Embedding`.

    Picking rows moves bytes and computes nothing. Drawn from a normal distribution of deviation 1,
    as torch does, unless `init` says otherwise.
    """

    rows: ClassVar[str]
    init: Init | None

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is not None and self.init.kind == "unit_rows":
            return Init("normal", n["D"] ** -0.5)
        return self.init or Init("normal", 1.0)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def module(self, w: Writer) -> str:
        return f"nn.Embedding({w.dim(self.rows)}, {w.dim('D')})"
