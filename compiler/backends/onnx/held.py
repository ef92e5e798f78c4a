"""What the parameters of a model come to in its ONNX files, without a file or a number of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import prod

from compiler.backends.onnx.folded import folded
from compiler.backends.onnx.halves import HALVES
from compiler.backends.onnx.listing import WIDTHS, Element, Weight
from compiler.ir.program import Program
from compiler.ir.target import Target


def held_bytes(programs: Iterable[Program], target: Target) -> Mapping[str, int]:
    """The bytes of each parameter in the files of `programs`, which read one data file: floats, or
    codes, scales and codes of zero.

    Parameters of layers that are alike are one, called as in the folded listing
    (`h.0..12.mlp.down.weight`), with the bytes of one layer. What nothing reads is not there.
    """
    found: dict[str, int] = defaultdict(int)
    kept = {
        weight.content: weight
        for program in programs
        for weight in folded(program, target).weights.values()
    }
    width = WIDTHS[HALVES.get(target.floats, Element.float32)]
    for weight in kept.values():
        for name, shape in weight.parts or ((weight.parameter, weight.shape),):
            found[name] += prod(shape) * _width(weight, width)
    return found


def _width(weight: Weight, floats: int) -> int:
    """Bytes of a number; scales are in the model's floats too."""
    return floats if weight.element is Element.float32 else WIDTHS[weight.element]
