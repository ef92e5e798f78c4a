"""The matrices of all experts as one tensor, as ONNX Runtime's operators for mixtures want them."""

from archspec.source.frozen import Frozen
from compiler.backends.onnx.listing import Element, Part, Weight
from compiler.backends.onnx.matrix import Matrix
from compiler.backends.onnx.sheet import Sheet
from compiler.ir.integers import Integers
from compiler.ir.target import Target


class ExpertStack(Frozen):
    """Parameters [experts, outputs, inputs], and biases [experts, outputs] where they are `biased`.

    Rows of the `woven` equal parts of a matrix take turns.
    """

    path: str
    experts: int
    outputs: int
    inputs: int
    woven: int
    biased: bool
    copies: int

    def matrix(self, expert: int) -> Matrix:
        """The matrix of an expert."""
        return Matrix(f"{self.path}.weight", self.outputs, self.inputs, self.copies, expert)

    def integers(self, target: Target) -> set[Integers | None]:
        """How the matrices are rounded on a target; None for one that is not."""
        return {self.matrix(expert).integers(target) for expert in range(self.experts)}

    def weight(self, sheet: Sheet) -> str:
        """The matrices in floats."""
        return self._held(sheet, "weight", (self.outputs, self.inputs))

    def bias(self, sheet: Sheet) -> str | None:
        """The biases."""
        return self._held(sheet, "bias", (self.outputs,)) if self.biased else None

    def rounded(self, sheet: Sheet, integers: Integers) -> tuple[str, str, str | None]:
        """Codes [experts, outputs, bytes], scales [experts, outputs, blocks] and codes of zero,
        packed as the others are; None where it is the middle one."""
        assert integers.block is not None
        bits, blocks = integers.bits, self.inputs // integers.block

        def held(part: Part, width: int, element: Element) -> str:
            suffix = f".int{bits}" if part == "codes" else f".int{bits}.{part}"
            shape = (self.outputs, width)
            return self._held(sheet, "weight", shape, suffix, integers, part, element)

        codes = held("codes", self.inputs * bits // 8, Element.uint8)
        scales = held("scales", blocks, Element.float32)
        if integers.rounding != "zero-point":
            return codes, scales, None
        return codes, scales, held("zeros", -(-blocks * bits // 8), Element.uint8)

    def _held(
        self,
        sheet: Sheet,
        kind: str,
        shape: tuple[int, ...],
        suffix: str = "",
        integers: Integers | None = None,
        part: Part = "codes",
        element: Element = Element.float32,
    ) -> str:
        parameter = f"{self.path}.{kind}"
        paths = (self.matrix(expert).path for expert in range(self.experts))
        sheet.listing.matrices.update(dict.fromkeys(paths))
        woven = ".woven" if self.woven > 1 else ""
        weight = Weight(
            f"{parameter}{woven}{suffix}",
            parameter,
            (self.experts, *shape),
            copies=self.copies,
            woven=self.woven,
            integers=integers,
            part=part,
            element=element,
        )
        sheet.listing.weights.setdefault(weight.name, weight)
        return weight.name
