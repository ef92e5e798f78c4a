"""How many positions a decoder has seen, as values of its model file."""

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.backends.onnx.listing import Attribute, Element
from compiler.backends.onnx.past import Counts
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.spot import Spot
from compiler.ir.program import Program
from compiler.ir.size import Poly, as_poly
from compiler.ir.types import TensorType

SPOT = Spot().below("seen")


@dataclass(frozen=True)
class Seen:
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

    def by_mask(self) -> str:
        """The same where a mask of integers [B, S] is an input more, and the cache may be longer.

        Rows have their padding behind them, and go on where they have ended.
        """
        grown = self.program.grown
        batch = self.program.main.type(self.program.main.inputs[grown]).shape[0]
        mask = f"{grown}_mask"
        self.sheet.listing.inputs[mask] = TensorType("int", (batch, self.seen))
        every, count = self._op("Shape", mask, start=1, end=2), self._count()
        self.sheet.lengths[self.seen] = every
        real = self._op("ReduceSum", mask, self._ints(1), keepdims=1)
        first = self._op("Max", self._op("Sub", real, count), self._ints(0))
        last = self._op("Squeeze", self._op("Sub", real, self._ints(1)), self._ints(1))
        last = self._op("Cast", last, to=Element.int32)
        total = self._op("Cast", self._op("Squeeze", every, self._ints(0)), to=Element.int32)
        self.sheet.counts = Counts(mask, first, last, total)
        return self._op("Squeeze", self._op("Sub", every, count), self._ints(0))

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
