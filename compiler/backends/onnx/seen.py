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
from compiler.ops.slices import END
from compiler.passes.stateless import is_state

SPOT = Spot().below("seen")


class Seen(Frozen):
    """Writes where new positions begin.

    Attributes:
        seen, new: the length of all positions and that of new ones.
        ties: whether TopK has the earlier of equals first, as it should. On CUDA it has them in any
            order where there are more than 256.
    """

    sheet: Sheet
    program: Program
    seen: Poly
    new: Poly
    ties: bool

    def by_cache(self, past: str, axis: int) -> str:
        """The number of positions in the cache, which is as long as what it holds."""
        before = self._op("Shape", past, start=axis, end=axis + 1)
        self.sheet.lengths[self.seen] = self._op("Add", before, self._count())
        return self._op("Squeeze", before, self._ints(0))

    def by_mask(self, pos: str) -> dict[str, str]:
        """What stands for inputs of new and of all positions, and for `pos`, where rows are counted
        by a mask [B, S] of integers, an input of the file, and the cache may be longer than what it
        holds.

        Of every row the real new positions come first, and go on where the row has ended.
        """
        main = self.program.main
        types = {name: main.type(found) for name, found in main.inputs.items()}
        mask = f"{self.program.grown}_mask"
        batch = types[self.program.grown].shape[0]
        self.sheet.listing.inputs[mask] = TensorType("int", (batch, self.seen))
        every, count = self._op("Shape", mask, start=1, end=2), self._count()
        self.sheet.lengths.update({self.seen: every, self.new: count})
        before = self._op("Sub", every, count)
        end, one = self._ints(END), self._ints(1)
        new = self._op("Slice", mask, before, end, one)
        real = self._op("ReduceSum", mask, one, keepdims=1)
        slots = self._range(every)
        added = self._op("ReduceSum", new, one, keepdims=1)
        first = self._op("Sub", real, added)
        numbers = self._range(count)
        places = self._op("Add", numbers, first)
        # Padding of a piece has keys too, behind all real ones: no query of the piece sees those,
        # and the next piece writes over them.
        last = self._op("Gather", places, self._number(-1), axis=1)
        self.sheet.counts = Counts(
            places=places,
            last=self._op("Cast", last, to=Element.int32),
            total=self._op("Cast", self._op("Squeeze", every, self._ints(0)), to=Element.int32),
            order=self._order(new, count, numbers),
            end=self._op("Sub", added, one),
            most=self.program.longest,
        )
        orders = {self.new: self.sheet.counts.order, self.seen: self._order(mask, every, slots)}
        moved = {n: self._moved(n, t, orders) for n, t in types.items() if not is_state(t)}
        return {
            **moved,
            mask: self._op("Less", slots, real),
            pos: self._op("Squeeze", before, self._ints(0)),
        }

    def _order(self, mask: str, count: str, numbers: str) -> str:
        """The positions that a mask [B, N] is of, real ones first and else as they are; `numbers`
        are those from 0 to below N."""
        if self.ties:
            return self._first(mask, count, largest=1)
        far = self._op("Mul", mask, self._number(END))
        return self._first(self._op("Sub", numbers, far), count, largest=0)

    def _moved(self, x: str, found: TensorType, orders: Mapping[Poly, str]) -> str:
        """An input with the positions of each row in an order."""
        for axis, size in enumerate(found.shape):
            if order := orders.get(as_poly(size)):
                x = self._picked(x, order, axis, len(found.shape))
        return x

    def _picked(self, x: str, order: str, axis: int, rank: int) -> str:
        """`x` [B, …] with its axis in the order [B, N] of each row."""
        if rank == 2:
            return self._op("GatherElements", x, order, axis=1)
        perm = [0, axis, *(each for each in range(1, rank) if each != axis)]
        rows = x if axis == 1 else self._op("Transpose", x, perm=perm)
        rows = self._op("GatherND", rows, self._op("Unsqueeze", order, self._ints(2)), batch_dims=1)
        back = [perm.index(each) for each in range(rank)]
        return rows if axis == 1 else self._op("Transpose", rows, perm=back)

    def _range(self, count: str) -> str:
        """The numbers from 0 to below a vector of one length."""
        start, step = self._number(0), self._number(1)
        return self._op("Range", start, self._op("Squeeze", count, self._ints(0)), step)

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

    def _number(self, number: int) -> str:
        return self.sheet.constant(SPOT, Element.int64, (number,), vector=False)

    def _ints(self, number: int) -> str:
        return self.sheet.constant(SPOT, Element.int64, (number,), vector=True)

    def _op(self, kind: str, *inputs: str, **attributes: Attribute) -> str:
        options: Mapping[str, Attribute] = attributes
        (made,) = self.sheet.step(SPOT, kind, inputs, 1, options)
        return made
