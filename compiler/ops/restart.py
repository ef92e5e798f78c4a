"""Places that begin anew with every document of a packed row."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ops.seen_mask import newest
from compiler.ops.slices import rest

RESTART: Final = '''
def {name}(segments_BS: Tensor) -> Tensor:
    """The place of every position within its document, a run of equal numbers."""
    place_S = torch.arange(segments_BS.shape[1], device=segments_BS.device)
    first_BS = F.pad(segments_BS[:, 1:] != segments_BS[:, :-1], (1, 0))
    return place_S - (place_S * first_BS).cummax(dim=1).values
'''

NEWEST: Final = '''
def {name}(mark_BS: Tensor, pos: int, T: int) -> Tensor:
    """The marks of T new positions from `pos` on."""
    return mark_BS.index_select(1, torch.arange(pos, pos + T, device=mark_BS.device))
'''


class Restart(Operator, signature="segments:int BS -> place:int BS"):
    """The distance of every position from the first one of its run of equal `segments` (Krell et
    al. 2021, section 3.2: packed sequences keep the positions that they have alone)."""

    ordered: ClassVar[bool] = True

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.helper('restart', RESTART)}({w.segments})"

    def onnx(self, b: Builder) -> Any:
        # The latest start before each position: ONNX has no running maximum, so over all pairs.
        length = b.dim("S")
        places = b.range(length)
        before = b.op("Slice", b.segments, b.ints(0), b.ints(-1), b.ints(1))
        after = rest(b, b.segments, 1, 1)
        new = b.op("Cast", b.op("Not", b.op("Equal", before, after)), to=b.int_type)
        first = b.op("Pad", new, b.ints(1, 0), b.index(0), b.ints(1))
        starts = b.op("Unsqueeze", b.op("Mul", first, places), b.ints(1))
        ones = b.op("Expand", b.ints(1), b.lengths(length, length))
        latest = b.op(
            "ReduceMax", b.op("Mul", starts, b.op("Trilu", ones, upper=0)), b.ints(2), keepdims=0
        )
        return b.op("Sub", places, latest)


class Cut:
    """What the marks of new positions share, whatever they are."""

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return f"{w.helper('newest', NEWEST)}({w.marks}, {w.pos}, {w.dim('T')})"

    def onnx(self, b: Builder) -> Any:
        return newest(b, b.marks)


class Newest(Cut, Operator, signature="marks:int BS, like:int BT, pos?:int -> new:int BT"):
    """The marks (places, documents) of the T new positions, the last of the S that a decoder has
    seen."""

    measured: ClassVar[tuple[str, ...]] = ("like",)


class NewestReal(Cut, Operator, signature="marks:bool BS, like:int BT, pos?:int -> new:bool BT"):
    """Which of the T new positions are no padding."""

    measured: ClassVar[tuple[str, ...]] = ("like",)
