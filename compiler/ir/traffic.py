"""What an operator reads from memory and writes to it, as formulas in the dimension letters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Final

from compiler.ir.size import Poly, Size, as_poly, total
from compiler.ir.types import Element, TensorType

NOTHING: Final = as_poly(0)
FIXED: Final[dict[Element, int]] = {"int": 8, "bool": 1}
"""Bytes of elements whose type is not the model's: torch's 64-bit integers and booleans."""
STATISTIC: Final = 4
"""Fused attention keeps its log-sum-exp in float32 whatever the model's type is."""


@dataclass(frozen=True)
class Traffic:
    """The memory traffic of one use of an operator by itself, where the model does not train.

    Attributes:
        weights: elements of parameters that are read: of a table the rows that are picked, of
            experts those that some position is sent to.
        table: those of `weights` that are rows picked of a table, or a table of another node.
        read: elements of the model's type that are read besides.
        written: elements of the model's type that are written.
        read_fixed: bytes that are read of tensors whose type is not the model's.
        written_fixed: bytes that are written of such tensors.
        scores: elements of the attention matrix, which an unfused kernel writes and reads before
            its softmax and again behind it; a fused one does neither.
        statistics: elements of float32 that a fused kernel writes instead.
    """

    weights: Size = NOTHING
    table: Size = NOTHING
    read: Size = NOTHING
    written: Size = NOTHING
    read_fixed: Size = NOTHING
    written_fixed: Size = NOTHING
    scores: Size = NOTHING
    statistics: Size = NOTHING

    def times(self, count: Size) -> "Traffic":
        """The traffic of `count` uses."""
        return Traffic(**{name: self.total(name) * count for name in NAMES})

    def at(self, values: Mapping[str, Size]) -> "Traffic":
        """The same traffic with sizes in the place of letters."""
        return Traffic(**{name: self.total(name).at(values) for name in NAMES})

    def total(self, name: str) -> Poly:
        """One figure by its name."""
        return as_poly(getattr(self, name))

    def read_bytes(self, width: int, *, fused: bool) -> Poly:
        """Bytes read, at `width` bytes an element of the model's type."""
        matrix = NOTHING if fused else self.total("scores") * 2
        return total((self.weights, self.read, matrix)) * width + self.read_fixed

    def written_bytes(self, width: int, *, fused: bool) -> Poly:
        """Bytes written, at `width` bytes an element of the model's type."""
        fixed = self.total("written_fixed")
        if fused:
            return self.total("written") * width + fixed + self.total("statistics") * STATISTIC
        return (self.total("scores") * 2 + self.written) * width + fixed


NAMES: Final = tuple(field.name for field in fields(Traffic))


def moved(
    read: Iterable[TensorType],
    written: Iterable[TensorType],
    weights: Size = NOTHING,
    table: Size = NOTHING,
) -> Traffic:
    """Every tensor once; plain numbers and what may be absent at run time are not counted.

    `weights` are a node's own, beside what it reads of a `table`.
    """
    into, out = ([t for t in side if t.shape and not t.optional] for side in (read, written))
    every = as_poly(weights) + table
    return Traffic(every, table, _floats(into), _floats(out), _fixed(into), _fixed(out))


def _floats(found: Iterable[TensorType]) -> Poly:
    return total(each.count for each in found if each.element == "float")


def _fixed(found: Iterable[TensorType]) -> Poly:
    return total(each.count * FIXED[each.element] for each in found if each.element in FIXED)
