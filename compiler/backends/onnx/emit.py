"""Write a model folder: `model.onnx` and, beside it, the weights as a stream."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import compiler
from compiler.backends.onnx.data import INLINE, nbytes, places, stream, write_data
from compiler.backends.onnx.listing import Weight
from compiler.backends.onnx.model import DATA, About, model_bytes
from compiler.backends.onnx.versions import ir_version, opset
from compiler.backends.onnx.walk import unrolled
from compiler.importers.lazy import Lazy
from compiler.ir.program import Program

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

MODEL: Final = "model.onnx"


@dataclass(frozen=True)
class File:
    """One file as written: its length in bytes and its SHA-256."""

    bytes: int
    sha256: str


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
) -> Emitted:
    """Write the ONNX model of `program`, which is in the full-sequence form, into an existing folder.

    `weights` has a source for every parameter by its full name, in the shapes of `program`; with None only
    the graph is written, every weight a reference into a data file that is not there. `progress` is told the
    bytes of each piece. The same program and weights give the same bytes. The caller syncs.

    Raises KeyError where a parameter has no source, ValueError where its shape is another one, and OSError
    where a file cannot be written.
    """
    listing = unrolled(program)
    sources = weights or {}
    if weights is not None:
        for weight in listing.weights.values():
            _fits(weight, weights[weight.parameter])
    outside = {
        name: weight
        for name, weight in listing.weights.items()
        if weights is None or nbytes(weight) >= INLINE
    }
    where = places(outside)
    files: dict[str, File] = {}
    if weights is not None and outside:
        files[DATA] = File(*write_data(folder / DATA, outside, where, sources, progress))

    def read(weight: Weight) -> "Array":
        import numpy as np

        pieces = list(stream(weight, sources[weight.parameter]))
        return np.concatenate(pieces).reshape(weight.shape)

    written = model_bytes(program, listing, _about(program), where, read)
    (folder / MODEL).write_bytes(written)
    files[MODEL] = File(len(written), hashlib.sha256(written).hexdigest())
    steps = list(listing.flat())
    version = opset({step.kind for step in steps})
    return Emitted(files, version, ir_version(version), len(steps))


def _about(program: Program) -> About:
    said = {
        "archc.version": compiler.__version__,
        "archc.spec": program.path,
        "archc.spec_sha256": program.digest,
        "archc.zeros": " ".join(
            name for name, v in program.main.inputs.items() if program.main.type(v).optional
        ),
    }
    properties = {name: found for name, found in said.items() if found}
    return About(program.name, program.about, properties, compiler.__version__)


def _fits(weight: Weight, source: Lazy) -> None:
    wanted = weight.shape[::-1] if weight.transposed else weight.shape
    if source.shape != wanted:
        raise ValueError(f"{weight.parameter} is {source.shape}, not {wanted}")
