"""Write a model folder: `model.onnx` and, beside it, the weights as a stream."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from compiler.backends.onnx.data import INLINE, nbytes, places, stream, write_data
from compiler.backends.onnx.listing import Weight
from compiler.backends.onnx.model import DATA, model_bytes
from compiler.backends.onnx.versions import ir_version, opset
from compiler.backends.onnx.walk import unrolled
from compiler.importers.hashed import File
from compiler.importers.lazy import Lazy
from compiler.ir.program import Program
from compiler.ir.target import PORTABLE, Target

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

MODEL: Final = "model.onnx"


@dataclass(frozen=True)
class Emitted:
    """What was written: files by name, and the versions that a runtime must know."""

    files: Mapping[str, File]
    opset: int
    ir_version: int
    nodes: int

    @property
    def bytes(self) -> int:
        """The bytes of all files."""
        return sum(file.bytes for file in self.files.values())


def emit(
    program: Program,
    weights: Mapping[str, Lazy] | None,
    folder: Path,
    progress: Callable[[int], None] | None = None,
    target: Target = PORTABLE,
) -> Emitted:
    """Write the ONNX model of `program`, which is in the full-sequence form, into `folder`.

    `weights` has a source for every parameter by its full name, in the shapes of `program`; with
    None only the graph is written, every weight a reference into a data file that is not there.
    `progress` is told the bytes of each piece. The same program and weights give the same bytes.
    The folder exists; the caller syncs.

    Raises KeyError where a parameter has no source, ValueError where its shape is another one and
    OSError where a file cannot be written.
    """
    listing = unrolled(program, target)
    files: dict[str, File] = {}
    if weights is None:
        where = places(listing.weights)
    else:
        outside = {n: found for n, found in listing.weights.items() if nbytes(found) >= INLINE}
        where = places(outside)
        for weight in listing.weights.values():
            _fits(weight, weights)
        if outside:
            files[DATA] = write_data(folder / DATA, outside, where, weights, progress)
    written = model_bytes(program, listing, where, lambda weight: _read(weight, weights or {}))
    (folder / MODEL).write_bytes(written)
    files[MODEL] = File(len(written), hashlib.sha256(written).hexdigest())
    kinds = [step.operator for step in listing.flat()]
    return Emitted(files, opset(kinds), ir_version(opset(kinds)), len(kinds))


def _fits(weight: Weight, sources: Mapping[str, Lazy]) -> None:
    for name, shape in weight.parts:
        if sources[name].shape != shape:
            raise ValueError(f"{name} is {sources[name].shape}, not {shape}")
    if weight.parts:
        return
    source = sources[weight.parameter]
    wanted = weight.shape[::-1] if weight.transposed else weight.shape
    found = source.shape if weight.member is None else source.shape[1:]
    if found != wanted:
        raise ValueError(f"{weight.parameter} is {source.shape}, not {wanted}")


def _read(weight: Weight, sources: Mapping[str, Lazy]) -> "Array":
    import numpy as np

    pieces = list(stream(weight, sources))
    return np.concatenate(pieces).reshape(weight.shape)
