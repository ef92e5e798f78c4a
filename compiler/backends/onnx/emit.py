"""Write a model folder: its ONNX files and, beside them, the weights as a stream."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.backends.onnx.as_stored import as_stored
from compiler.backends.onnx.data import DATA, INLINE, Place, Sources, places, size, write_data
from compiler.backends.onnx.decoder import Decoder, decoder_of
from compiler.backends.onnx.halves import in_numbers
from compiler.backends.onnx.listing import Weight
from compiler.backends.onnx.model import model_bytes
from compiler.backends.onnx.rounded_data import Loss
from compiler.backends.onnx.versions import ir_version, opset, runtime
from compiler.backends.onnx.vocabularies import vocabularies
from compiler.backends.onnx.walk import unrolled
from compiler.importers.fold import listed
from compiler.importers.hashed import File
from compiler.importers.lazy import Lazy
from compiler.importers.room import need_room
from compiler.ir.program import Program
from compiler.ir.target import EVERY, PORTABLE, Target
from compiler.passes.served import NAMES, WHOLE

MODEL, ENCODER, DECODER = (f"{name}.onnx" for name in NAMES)
"""The file of a model in one, and those of one that reads a source once."""


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
    vocabularies: Mapping[str, int] = field(default_factory=dict)
    """How many ids there are of each input that picks rows of a table."""
    data: tuple[str, ...] = ()
    """The files that the model points into."""

    @property
    def bytes(self) -> int:
        """The bytes of all files."""
        return sum(file.bytes for file in self.files.values())


def emit(
    programs: Mapping[str, Program],
    weights: Mapping[str, Lazy] | None,
    folder: Path,
    progress: Callable[[int, int], None] | None = None,
    target: Target = PORTABLE,
    linked: Mapping[Path, str] | None = None,
) -> Emitted:
    """Write the ONNX files of one model into `folder`, each program's under its name.

    `weights` has a source for every parameter by its full name, in the shapes of the programs; with
    None only the graphs are written, every weight a reference into a data file that is not there.
    Tensors in the files `linked`, which are in the folder under the names given there, are read
    where they lie if the model has them so. What several programs read lies in one place.
    `progress` is told the bytes of the data file that are written, and all that it will have. The
    same programs and weights give the same bytes.
    The folder exists; the caller syncs.

    Raises CannotAnswer where a choice of the target fits no matrix, KeyError where a parameter has
    no source, ValueError where its shape is another one and OSError where a file cannot be written.
    """
    listings = {
        name: in_numbers(unrolled(program, target), target) for name, program in programs.items()
    }
    _fit(target, [path for listing in listings.values() for path in listing.matrices])
    given = Sources(weights or {})
    if linked:
        lies = partial(given.lying, linked=linked)
        listings = {name: as_stored(each, lies) for name, each in listings.items()}
    every = {name: w for listing in listings.values() for name, w in listing.weights.items()}
    files: dict[str, File] = {}
    where = (
        places(every)
        if weights is None
        else _data(every, given, folder, progress, linked or {}, files)
    )
    for name, listing in listings.items():
        written = model_bytes(programs[name], listing, where, given.read)
        (folder / f"{name}.onnx").write_bytes(written)
        files[f"{name}.onnx"] = File(len(written), hashlib.sha256(written).hexdigest())
    used = [(s.operator, len(s.inputs)) for each in listings.values() for s in each.flat()]
    version = opset(kind for kind, _ in used)
    alone = programs.keys() == {WHOLE}
    return Emitted(
        files,
        version,
        ir_version(version),
        runtime(used, target.provider),
        len(used),
        decoder_of(programs[WHOLE], listings[WHOLE]) if alone else None,
        given.rounded.losses,
        vocabularies(listings.values()),
        tuple(dict.fromkeys(place.file for place in where.values())),
    )


def _data(
    weights: Mapping[str, Weight],
    given: Sources,
    folder: Path,
    progress: Callable[[int, int], None] | None,
    linked: Mapping[Path, str],
    files: dict[str, File],
) -> dict[str, Place]:
    """Where each weight lies outside the model files, after what is not `linked` was written."""
    outside = {
        name: found
        for name, found in weights.items()
        if found.nbytes >= INLINE or found.integers is not None
    }
    for weight in weights.values():
        given.check(weight)
    lying = {name: given.lying(found, linked) for name, found in outside.items()}
    packed = {name: found for name, found in outside.items() if lying[name] is None}
    where = places(packed)
    if packed:
        need_room(folder, size(where))
        files[DATA] = write_data(folder / DATA, packed, where, given, progress)
    return where | {name: place for name, place in lying.items() if place is not None}


def _fit(target: Target, matrices: Iterable[str]) -> None:
    """Refuse a choice that is about nothing: a misspelt path would leave a model as it was."""
    known = list(matrices)
    for choice in target.choices:
        if choice.pattern != EVERY and not any(choice.fits(path) for path in known):
            raise CannotAnswer(
                f"no matrix has a path like `{choice.pattern}`",
                f"there are {listed(known)}" if known else "the model has none that is rounded",
            )
