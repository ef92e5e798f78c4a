"""Distances of queries and keys in buckets: one each when near, ever wider ones when far."""

import math
import struct
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size

SOURCE: Final = '''
def {name}(pos: int, T: int, device: torch.device) -> Tensor:
    """The bucket of the distance of T queries from `pos` on to every key: one for each distance
    below {exact}, then wider and wider ones."""
    place_S = torch.arange(pos + T, device=device)
    {distance}
    growth_TS = (far_TS.clamp(min={exact}) / {exact}).log() / {growth}  # log({most} / {exact})
    wide_TS = ({exact} + growth_TS * {left}).long().clamp(max={last})
    {chosen}
'''
BEHIND: Final = "far_TS = (place_S[pos:, None] - place_S).clamp(min=0)"
AROUND: Final = """ahead_TS = place_S - place_S[pos:, None]
    far_TS = ahead_TS.abs()"""
ONE_SIDE: Final = "return torch.where(far_TS < {exact}, far_TS, wide_TS)"
TWO_SIDES: Final = (
    "return torch.where(far_TS < {exact}, far_TS, wide_TS) + (ahead_TS > 0) * {a_side}"
)


class DistanceBuckets(Operator, signature="x:*TD, pos?:int -> bucket:int TS"):
    """Raffel et al. 2020, section 2.1: half of the buckets hold a distance each, the others grow by
    logarithm up to `max_distance`; from there on all share the last one.

    Queries stand at places from `pos` on, keys at all S. With `bidirectional` half of the buckets
    are for keys ahead of the query; without it those count as distance 0.
    """

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    S: Size
    buckets: int
    max_distance: int
    bidirectional: bool

    @property
    def a_side(self) -> int:
        """Buckets for one direction."""
        return self.buckets // 2 if self.bidirectional else self.buckets

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        exact = self.a_side // 2
        fields = {
            "exact": exact,
            "most": self.max_distance,
            "growth": w.number(math.log(self.max_distance / exact)),
            "left": self.a_side - exact,
            "last": self.a_side - 1,
            "a_side": self.a_side,
        }
        distance, chosen = (AROUND, TWO_SIDES) if self.bidirectional else (BEHIND, ONE_SIDE)
        source = SOURCE.format(
            name="{name}", distance=distance, chosen=chosen.format(**fields), **fields
        )
        pos = w.pos if w.has("pos") else "0"
        name = "buckets" if self.bidirectional else "past_buckets"
        return f"{w.helper(name, source)}({pos}, {w.dim('T')}, {w.x}.device)"

    def onnx(self, b: Builder) -> Any:
        behind = b.op("Sub", b.column(b.positions("T")), b.range(b.dim("S")))
        far = b.op("Abs", behind) if self.bidirectional else behind
        far = b.op("Clip", far, b.index(0), b.index(self.max_distance))
        bucket = b.op("Gather", b.ints(*self.of_distances()), far, axis=0)
        if not self.bidirectional:
            return bucket
        ahead = b.op("Cast", b.op("Less", behind, b.index(0)), to=b.int_type)
        return b.op("Add", bucket, b.op("Mul", ahead, b.index(self.a_side)))

    def of_distances(self) -> list[int]:
        """The bucket of every distance from 0 to `max_distance`, in one direction, with the
        roundings of float32: at its edge a bucket depends on them."""
        exact = self.a_side // 2
        left, growth = self.a_side - exact, single(math.log(self.max_distance / exact))
        wide = []
        for far in range(exact, self.max_distance + 1):
            grown = single(single(math.log(single(far / exact))) / growth)
            wide.append(min(int(single(exact + single(grown * left))), self.a_side - 1))
        return [*range(exact), *wide]


def single(number: float) -> float:
    """The nearest number of float32."""
    (found,) = struct.unpack("f", struct.pack("f", number))
    return float(found)
