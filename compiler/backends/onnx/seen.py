"""How many positions a decoder has seen, as values of its model file."""

from collections.abc import Mapping

from archspec.source.frozen import Frozen
from compiler.backends.onnx.listing import Attribute, Element
from compiler.backends.onnx.past import Counts
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.spot import Spot
from compiler.ir.program import Program
from compiler.ir.size import Poly, as_poly
from compiler.ir.types import TensorType

SPOT = Spot().below("seen")


class Seen(Frozen):
    """Writes where new positions begin: `seen` is the length of all, `new` that of new ones."""

    sheet: Sheet
    program: Program
    seen: Poly
    new: Poly

    def by_cache(self, past: str, axis: int) -> str:
        """The number of positions in the cache, which is as long as what it holds."""
        before = self._op("Shape", past, start=axis, end=axis + 1)
        self.sheet.lengths[self.seen] = self._op("Add", before, self._count())
        return self._op("Squeeze", before, self._ints(0))

    def by_mask(self, pos: str) -> dict[str, str]:
        """What stands for the ids, their mask and `pos` where rows are counted by a mask [B, S] of
        integers, an input of the file, and the cache may be longer than what it holds.

        Of every row the real new positions come first, and go on where the row has ended.
        """
        grown = self.program.grown
        batch = self.program.main.type(self.program.main.inputs[grown]).shape[0]
        mask = f"{grown}_mask"
        self.sheet.listing.inputs[mask] = TensorType("int", (batch, self.seen))
        every, count = self._op("Shape", mask, start=1, end=2), self._count()
        self.sheet.lengths[self.seen] = every
        before = self._op("Sub", every, count)
        end, one = self._ints(2**31 - 1), self._ints(1)
        new = self._op("Slice", mask, before, end, one)
        real = self._op("ReduceSum", mask, one, keepdims=1)
        added = self._op("ReduceSum", new, one, keepdims=1)
        first = self._op("Sub", real, added)
        # Padding of a piece has keys too, behind all real ones: no query of the piece sees those,
        # and the next piece writes over them.
        last = self._op("Squeeze", self._op("Sub", self._op("Add", first, count), one), one)
        last = self._op("Cast", last, to=Element.int32)
        total = self._op("Cast", self._op("Squeeze", every, self._ints(0)), to=Element.int32)
        order = self._order(new, count)
        end_of_row = self._op("Max", self._op("Sub", added, one), self._ints(0))
        self.sheet.counts = Counts(mask, first, last, total, order, end_of_row)
        return {
            grown: self._op("GatherElements", grown, order, axis=1),
            mask: self._op("Cast", mask, to=Element.bool),
            pos: self._op("Squeeze", before, self._ints(0)),
        }

    def _order(self, new: str, count: str) -> str:
        """The new positions of each row [B, T], real ones first and else as they are."""
        number = self._op("Squeeze", count, self._ints(0))
        scalars = (self.sheet.constant(SPOT, Element.int64, (n,), vector=False) for n in (0, 1))
        start, step = scalars
        places = self._op("Range", start, number, step)
        ranks = self._op("Sub", self._op("Mul", new, count), places)
        return self._first(ranks, count, largest=1)

    def put_back(self, x: str) -> str:
        """An output [B, T, …] with its positions as the caller has them."""
        assert self.sheet.counts is not None
        back = self._first(self.sheet.counts.order, self._count(), largest=0)
        return self._op("GatherND", x, self._op("Unsqueeze", back, self._ints(2)), batch_dims=1)

    def _first(self, ranks: str, count: str, largest: int) -> str:
        """Where the ranks of a row stand, the first of the order first."""
        options = {"axis": 1, "largest": largest, "sorted": 1}
        _, found = self.sheet.step(SPOT, "TopK", (ranks, count), 2, options)
        return found

    def _count(self) -> str:
        """How many positions are new."""
        grown = self.program.grown
        found = self.program.main.type(self.program.main.inputs[grown])
        axis = [as_poly(size) for size in found.shape].index(self.new)
        return self._op("Shape", grown, start=axis, end=axis + 1)

    def _ints(self, number: int) -> str:
        return self.sheet.constant(SPOT, Element.int64, (number,), vector=True)

    def _op(self, kind: str, *inputs: str, **attributes: Attribute) -> str:
        options: Mapping[str, Attribute] = attributes
        (made,) = self.sheet.step(SPOT, kind, inputs, 1, options)
        return made
