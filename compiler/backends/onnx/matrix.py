"""A learned matrix as the target holds it: what a product with it and its rows consist of."""

from dataclasses import dataclass, replace
from typing import Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.listing import Element, Part, Weight
from compiler.backends.onnx.sheet import Sheet, member_path
from compiler.ir.integers import NARROW, WIDE, Integers
from compiler.ir.target import Target

LEAST: Final = 32
"""Inputs and outputs below which rounding a matrix is not worth its error."""


@dataclass(frozen=True)
class Matrix:
    """A parameter [outputs, inputs], or the one at `member` of several that are stacked.

    Of a `table` rows are looked up too: a scale for a whole row would do for neither. What is not
    `stored` is a value that is made while the model runs.
    """

    parameter: str
    outputs: int
    inputs: int
    copies: int = 1
    member: int | None = None
    table: bool = False
    stored: bool = True

    @property
    def name(self) -> str:
        """What it is called in the file."""
        return self.parameter if self.member is None else member_path(self.parameter, self.member)

    @property
    def path(self) -> str:
        """What a user calls it."""
        return self.name.removesuffix(".weight")

    def integers(self, target: Target) -> Integers | None:
        """How it is rounded on a target; None where it is not."""
        found = target.integers(self.path)
        if found is None or not self.stored or min(self.outputs, self.inputs) < LEAST:
            return None
        block = WIDE if found.block is None and self.table else found.block
        if block is not None and block >= WIDE > self.inputs:
            block = NARROW
        made = Integers(found.bits, block, found.rounding)
        return made if self._zeros_are_read(made, target) else replace(made, rounding="fitted")

    def _zeros_are_read(self, integers: Integers, target: Target) -> bool:
        """Whether who looks rows up has their zeros where they are: CUDA's `GatherBlockQuantized`
        goes on within a byte where a row has an odd number of them (as onnxruntime #26506 says)."""
        if not self.table or target.provider != "cuda" or integers.block is None:
            return True
        filled = -(-self.inputs // integers.block) * integers.bits % 8 == 0
        return filled or integers.rounding != "zero-point"


class RoundedMatrix(Frozen):
    """A matrix as integers, on the sheet as soon as somebody asks for a part of it."""

    sheet: Sheet
    matrix: Matrix
    integers: Integers

    @property
    def blocks(self) -> int:
        """How many scales an output has."""
        block = self.integers.block
        return 1 if block is None else -(-self.matrix.inputs // block)

    @property
    def width(self) -> int:
        """Integers of an output, the last block filled up."""
        return self.blocks * (self.integers.block or self.matrix.inputs)

    @property
    def blob(self) -> int:
        """Bytes of the integers that share a scale."""
        assert self.integers.block is not None
        return self.integers.block * self.integers.bits // 8

    def codes(self) -> str:
        """The integers block by block, [O, blocks, blob]; even places are the low halves."""
        shape = (self.matrix.outputs, self.blocks, self.blob)
        return self._part("", shape, "codes", Element.uint8)

    def flat_codes(self) -> str:
        """The same bytes as rows, [O, blocks · blob]."""
        shape = (self.matrix.outputs, self.blocks * self.blob)
        return self._part(".rows", shape, "codes", Element.uint8)

    def columns(self) -> str:
        """The integers of whole columns, [I, O]."""
        return self._part("", (self.matrix.inputs, self.matrix.outputs), "codes", Element.int8)

    def scales(self) -> str:
        """The scales, [O, blocks], or [O] where a column has one."""
        shape = (self.matrix.outputs, self.blocks)
        held = shape[:1] if self.integers.block is None else shape
        return self._part(".scales", held, "scales", Element.float32)

    def zeros(self) -> str | None:
        """The codes of zero, packed as the integers are; None where it is the middle one."""
        if self.integers.rounding != "zero-point":
            return None
        shape = (self.matrix.outputs, -(-self.blocks * self.integers.bits // 8))
        return self._part(".zeros", shape, "zeros", Element.uint8)

    def _part(self, suffix: str, shape: tuple[int, ...], part: Part, element: Element) -> str:
        return self.sheet.rounded(
            Weight(
                f"{self.matrix.name}.int{self.integers.bits}{suffix}",
                self.matrix.parameter,
                shape,
                copies=self.matrix.copies,
                member=self.matrix.member,
                integers=self.integers,
                part=part,
                element=element,
            )
        )
