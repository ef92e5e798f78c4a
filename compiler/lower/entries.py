"""The inputs of a spec as entries of the root graph, each with its padding and its documents."""

from dataclasses import dataclass, field
from typing import Final

from archspec.model.input import Input
from compiler.ir.size import Poly, as_poly
from compiler.ir.types import TensorType
from compiler.lower.ambient import Ambience
from compiler.lower.inputs import input_type
from compiler.lower.scope import Stream

WITHOUT_POSITIONS: Final = ("image", "count")


@dataclass
class Entries:
    """Enters inputs in the order that letters are given out in.

    Attributes:
        ambience: the model around, which keeps the streams and the documents.
        head: the input that a decoder grows or reads step by step, if any.
        axes: the letter of each free length of an input, by the letter that the spec has for it.
    """

    ambience: Ambience
    head: str
    axes: dict[str, Poly] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root, self.inputs = self.ambience.root, self.ambience.root.spec.inputs

    def fill(self) -> None:
        """Enter every input: what a decoder grows is T, and S is left for its source; a mask has
        the positions of the inputs that its shape names, so it comes after them."""
        order = {n: (found.kind == "mask", n != self.head) for n, found in self.inputs.items()}
        for name in sorted(order, key=order.__getitem__):
            found = self.inputs[name]
            if found.kind == "mask":
                self._enter_mask(found)
            else:
                self._enter(found)

    def _enter_mask(self, found: Input) -> None:
        sizes = [
            self.axes[size] if isinstance(size, str) else as_poly(size) for size in found.shape
        ]
        entered = TensorType("bool", (self.root.letters.free("batch"), *sizes))
        self.ambience.streams[found.name] = Stream(
            self.root.graph.enter(found.name, entered, found.span)
        )

    def _enter(self, found: Input) -> None:
        name, root, ambience = found.name, self.root, self.ambience
        batch = root.letters.free("batch")
        if found.kind in WITHOUT_POSITIONS:
            entered = input_type(found, root.letters, batch)
            ambience.streams[name] = Stream(root.graph.enter(name, entered, found.span))
            return
        positions = self._length(found)
        value = root.graph.enter(name, input_type(found, root.letters, positions), found.span)
        real = None
        beside = found.padded or found.segments
        length = root.letters.free("seen") if name == ambience.grown and beside else positions
        if found.segments:
            documents = TensorType("int", (batch, length))
            ambience.segments[name] = root.graph.enter(
                ambience.beside(name, "segments"), documents, found.span
            )
        if found.padded:
            mask = TensorType("bool", (batch, length))
            real = root.graph.enter(ambience.beside(name, "mask"), mask, found.span)
        ambience.streams[name] = Stream(value, real, name)

    def _length(self, found: Input) -> Poly:
        """The letter of an input's positions: T for the last of them or for what decodes."""
        others = (*WITHOUT_POSITIONS, "mask")
        lengths = [name for name, other in self.inputs.items() if other.kind not in others]
        head = self.head or lengths[-1]
        role = "set" if found.kind == "vectors" else "target" if found.name == head else "source"
        meaning = "" if role == "target" else f"positions of {found.name}"
        count = found.shape[1 if found.kind == "frames" else 0]
        if not isinstance(count, str):
            return self.root.letters.fixed(role, count, count.said, meaning)
        self.axes[count] = self.root.letters.free(role, meaning)
        return self.axes[count]
