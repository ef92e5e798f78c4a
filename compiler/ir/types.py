"""What flows along an edge: an element type and a shape in dimension letters."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from compiler.ir.size import Poly, Size, as_poly, product, text

Element: TypeAlias = Literal["float", "int", "bool"]


@dataclass(frozen=True)
class TensorType:
    """A tensor of the model's float type, of 64-bit integers or of booleans.

    `optional` marks a value that may be absent at run time (the cache of a decoder, and what
    follows from it); a shape of no dimensions is a plain number.
    """

    element: Element
    shape: tuple[Size, ...]
    optional: bool = False

    def __str__(self) -> str:
        dims = " ".join(text(size).replace(" ", "") for size in self.shape)
        return f"{self.element}[{dims}]{'?' if self.optional else ''}"

    @property
    def count(self) -> Poly:
        """The number of elements."""
        return product(self.shape)

    @property
    def suffix(self) -> str:
        """The letters that end a tensor's name, or nothing where a dimension has no letter."""
        marks = [_mark(size) for size in self.shape]
        return "".join(marks) if all(marks) else ""


def _mark(size: Size) -> str:
    mark = text(as_poly(size))
    return mark if len(mark) == 1 else ""
