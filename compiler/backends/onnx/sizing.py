"""Sizes of values, as far as they are known: what is fixed, and what is read at run time."""

from collections.abc import Sequence
from itertools import takewhile

from compiler.backends.onnx.past import Counts
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.spot import Spot
from compiler.backends.onnx.use import Use
from compiler.ir.letters import Letters
from compiler.ir.rules import Builder
from compiler.ir.size import Poly, Size, as_poly, constant


class Sizing(Builder):
    """The part of a `Builder` that knows lengths and shapes; a value is its name in the file."""

    _sheet: Sheet
    _key: Letters
    _use: Use
    _spot: Spot
    _shapes: dict[str, tuple[Poly, ...]]
    """The sizes of values, as far as they are known, by their names."""

    def dim(self, letter: str) -> Poly:
        """What a letter of the signature stands for, a number where it is fixed."""
        return self._key.fix(self._use.binding.letters[letter])

    def fix(self, size: Size) -> Poly:
        """A size with its fixed letters put in."""
        return self._key.fix(size)

    @property
    def counts(self) -> Counts | None:
        """How many positions each row has, in decoders that count them."""
        return self._sheet.counts

    def reshape(self, x: str, shape: Sequence[Size]) -> str:
        """A reshape to sizes that are numbers (-1 for the rest) or lengths known at run time."""
        wanted = [self.fix(size) for size in shape]
        known = self._shapes.get(x, ())
        entries = [_entry(size, at, known) for at, size in enumerate(wanted)]
        plain = [entry for entry in entries if entry is not None]
        target = self.ints(*plain) if len(plain) == len(wanted) else self.lengths(*wanted)
        made: str = self.op("Reshape", x, target)
        if as_poly(-1) not in wanted:
            self._shapes[made] = tuple(wanted)
        return made

    def lengths(self, *sizes: Size) -> str:
        """Sizes as a vector of 64-bit integers, read off an input port where they vary."""
        rest = [self.fix(size) for size in sizes]
        pieces: list[str] = []
        while rest:
            piece, taken = self._piece(rest)
            pieces.append(piece)
            rest = rest[taken:]
        if len(pieces) == 1:
            return pieces[0]
        made: str = self.op("Concat", *pieces, axis=0)
        return made

    def range(self, size: Size) -> str:
        """The integers from 0 to below a size."""
        made: str
        number = constant(self.fix(size))
        if number is not None:
            made = self.ints(*range(number))
            return made
        end = self.op("Squeeze", self.lengths(size), self.ints(0))
        made = self.op("Range", self.index(0), end, self.index(1))
        return made

    def positions(self, letter: str) -> str:
        """The places of so many new positions: from the port `pos` on, else from 0."""
        if not self.has("pos"):
            return self.range(self.dim(letter))
        if self.counts is not None:
            return self.counts.places
        made: str = self.op("Add", self.range(self.dim(letter)), self.pos)
        return made

    def column(self, positions: str) -> str:
        """Places of new positions beside places of keys: [T, 1], or [B, 1, T, 1]."""
        axes = (1,) if self.counts is None or not self.has("pos") else (1, 3)
        made: str = self.op("Unsqueeze", positions, self.ints(*axes))
        return made

    def _piece(self, sizes: Sequence[Poly]) -> tuple[str, int]:
        """The first sizes as one vector, and how many: numbers, or axes in a row of one port."""
        numbers = list(takewhile(lambda number: number is not None, map(constant, sizes)))
        if numbers:
            return self.ints(*(number for number in numbers if number is not None)), len(numbers)
        for port, shape in self._shapes.items():
            if sizes[0] in shape:
                at = shape.index(sizes[0])
                pairs = zip(shape[at:], sizes, strict=False)
                run = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
                return self.op("Shape", port, start=at, end=at + run), run
        if sizes[0] in self._sheet.lengths:
            return self._sheet.lengths[sizes[0]], 1
        raise ValueError(f"{self._spot.nodes}: no input has the length {sizes[0]}")


def _entry(size: Poly, at: int, known: Sequence[Poly]) -> int | None:
    """What a constant target shape has here: a number, 0 for as it was, None where neither."""
    number = constant(size)
    if number is not None:
        return number
    return 0 if at < len(known) and known[at] == size else None
