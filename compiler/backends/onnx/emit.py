"""Write a model folder: `model.onnx` and, beside it, the weights as a stream."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.backends.onnx.data import DATA, INLINE, Sources, places, write_data
from compiler.backends.onnx.decoder import Decoder, decoder_of
from compiler.backends.onnx.halves import in_numbers
from compiler.backends.onnx.model import model_bytes
from compiler.backends.onnx.rounded_data import Loss
from compiler.backends.onnx.versions import ir_version, opset, runtime
from compiler.backends.onnx.walk import unrolled
from compiler.importers.fold import listed
from compiler.importers.hashed import File
from compiler.importers.lazy import Lazy
from compiler.importers.room import need_room
from compiler.ir.program import Program
from compiler.ir.target import PORTABLE, Target

MODEL: Final = "model.onnx"


class Emitted(Frozen):
    """What was written: files by name, the versions that a runtime must know, and what rounding
    cost each matrix."""

    files: Mapping[str, File]
    opset: int
    ir_version: int
    runtime: str
    """The first ONNX Runtime that runs it."""
    nodes: int
    decoder: Decoder | None = None
    """What it is to a program that generates with it."""
    losses: Mapping[str, Loss] = field(default_factory=dict)

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
    linked: Mapping[Path, str] | None = None,
) -> Emitted:
    """Write the ONNX model of `program` into `folder`.

    `weights` has a source for every parameter by its full name, in the shapes of `program`; with
    None only the graph is written, every weight a reference into a data file that is not there.
    Tensors in the files `linked`, which are in the folder under the names given there, are read
    where they lie if the model has them so. `progress` is told the bytes of each piece. The same
    program and weights give the same bytes. The folder exists; the caller syncs.

    Raises CannotAnswer where a choice of the target fits no matrix, KeyError where a parameter has
    no source, ValueError where its shape is another one and OSError where a file cannot be written.
    """
    listing = in_numbers(unrolled(program, target), target.floats)
    _fit(target, listing.matrices)
    files: dict[str, File] = {}
    given = Sources(weights or {})
    if weights is None:
        where = places(listing.weights)
    else:
        outside = {
            name: found
            for name, found in listing.weights.items()
            if found.nbytes >= INLINE or found.integers is not None
        }
        for weight in listing.weights.values():
            given.check(weight)
        lying = {name: given.lying(found, linked or {}) for name, found in outside.items()}
        packed = {name: found for name, found in outside.items() if lying[name] is None}
        where = places(packed)
        if packed:
            need_room(folder, max(place.offset + place.length for place in where.values()))
            files[DATA] = write_data(folder / DATA, packed, where, given, progress)
        where |= {name: place for name, place in lying.items() if place is not None}
    written = model_bytes(program, listing, where, given.read)
    (folder / MODEL).write_bytes(written)
    files[MODEL] = File(len(written), hashlib.sha256(written).hexdigest())
    used = [(step.operator, len(step.inputs)) for step in listing.flat()]
    version = opset(kind for kind, _ in used)
    return Emitted(
        files,
        version,
        ir_version(version),
        runtime(used),
        len(used),
        decoder_of(program, listing),
        given.rounded.losses,
    )


def _fit(target: Target, matrices: Iterable[str]) -> None:
    """Refuse a choice that is about nothing: a misspelt path would leave a model as it was."""
    for choice in target.choices:
        if not any(choice.fits(path) for path in matrices):
            raise CannotAnswer(
                f"no matrix has a path like `{choice.pattern}`",
                f"there are {listed(list(matrices))}",
            )
