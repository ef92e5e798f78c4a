"""Signed distances of queries and keys as rows of a table, by logarithm when far."""

import math
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size
from compiler.ops.distance_buckets import single

EXACT: Final = '''
def {name}(pos: int, T: int, device: torch.device) -> Tensor:
    """The row of how far each key is behind T queries from `pos` on; row {span} is no distance."""
    place_S = torch.arange(pos + T, device=device)
    back_TS = place_S[pos:, None] - place_S
    return (back_TS + {span}).clamp(0, {last})
'''
BY_LOGARITHM: Final = '''
def {name}(pos: int, T: int, device: torch.device) -> Tensor:
    """The row of how far each key is behind T queries from `pos` on: one for each distance up to
    {exact}, then for wider and wider ones; row {span} is no distance."""
    place_S = torch.arange(pos + T, device=device)
    back_TS = place_S[pos:, None] - place_S
    far_TS = back_TS.abs()
    growth_TS = (far_TS.clamp(min={exact}) / {exact}).log() / {growth}  # log({most} / {exact})
    wide_TS = {exact} + (growth_TS * {left}).ceil().long()
    row_TS = torch.where(far_TS <= {exact}, back_TS, wide_TS * back_TS.sign())
    return (row_TS + {span}).clamp(0, {last})
'''


class DistanceRows(Operator, signature="x:*TD, pos?:int -> bucket:int TS"):
    """He et al. 2021, eq. 3: q - k plus `span`, within 0 and 2·span - 1, queries from `pos` on.

    With `max_distance` distances above span / 2 share rows, by logarithm (DeBERTa-v2).
    """

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    S: Size
    span: int
    max_distance: int | None = None

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        fields: dict[str, Any] = {"span": self.span, "last": 2 * self.span - 1}
        text = EXACT
        if self.max_distance is not None:
            exact, text = self.span // 2, BY_LOGARITHM
            growth = w.number(math.log((self.max_distance - 1) / exact))
            fields |= {"exact": exact, "left": exact - 1, "growth": growth}
            fields["most"] = self.max_distance - 1
        source = text.format(name="{name}", **fields)
        pos = w.pos if w.has("pos") else "0"
        return f"{w.helper('distances', source)}({pos}, {w.dim('T')}, {w.x}.device)"

    def onnx(self, b: Builder) -> Any:
        back = b.op("Sub", b.column(b.positions("T")), b.range(b.dim("S")))
        if self.max_distance is not None:
            far = b.op("Min", b.op("Abs", back), b.index(self.max_distance))
            row = b.op("Gather", b.ints(*self.of_distances()), far, axis=0)
            back = b.op("Mul", row, b.op("Sign", back))
        row = b.op("Add", back, b.index(self.span))
        return b.op("Clip", row, b.index(0), b.index(2 * self.span - 1))

    def of_distances(self) -> list[int]:
        """How many rows away from the middle a distance is, from 0 to `max_distance`, with the
        roundings of float32."""
        most, exact = self.max_distance or self.span, self.span // 2
        growth = single(math.log(single((most - 1) / exact)))
        wide = []
        for far in range(exact + 1, most + 1):
            grown = single(single(math.log(single(far / exact))) / growth)
            wide.append(exact + math.ceil(single(grown * (exact - 1))))
        return [*range(exact + 1), *wide]
