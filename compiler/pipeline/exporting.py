"""Export: the weights of a spec as a checkpoint in its family's own layout."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import archspec
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, Label, SpecError
from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.importers.layout import lay_out
from compiler.importers.lazy import Lazy
from compiler.importers.sharding import sharded
from compiler.ir.program import Program
from compiler.passes.fuse import fuse
from compiler.pipeline.building import Counter, Progress, silent
from compiler.pipeline.passes import lowered
from compiler.pipeline.places import places
from compiler.pipeline.publish import publish
from compiler.pipeline.reading import reading_of
from compiler.pipeline.untie import Untied, untie
from compiler.pipeline.weight_files import WEIGHTS_FILE
from compiler.pipeline.weights import weights_for
from compiler.report.numbers import memory

SHARD_BYTES: Final = 5_000_000_000
"""Above this many bytes a checkpoint is several files, as publishers have them."""


class Exported(Frozen):
    """What an export wrote: a folder's files, and the tensors in them."""

    name: str
    folder: str
    files: tuple[str, ...]
    tensors: int
    bytes: int
    seconds: float
    warnings: tuple[Diagnostic, ...] = ()

    ok = True

    def text(self) -> str:
        """A summary for a person."""
        named = self.files if len(self.files) <= 3 else (self.files[0], "…", *self.files[-2:])
        written = f"  {self.folder}  {', '.join(named)}  ({memory(self.bytes)})"
        return f"{self.name} exported in {self.seconds:.1f} s: {self.tensors} tensors\n{written}"

    def document(self) -> dict[str, Any]:
        """The summary for a program."""
        return {
            "name": self.name,
            "folder": self.folder,
            "files": list(self.files),
            "tensors": self.tensors,
            "bytes": self.bytes,
        }


def export(
    path: str,
    out: str,
    *,
    weights: str | None = None,
    set: Sequence[str] = (),
    shard_bytes: int = SHARD_BYTES,
    progress: Progress = silent,
) -> Exported:
    """Write the weights of one spec into the folder `out` as its `weights:` names them.

    `weights` is as for `build`; without it those of the spec's own build are taken. Raises
    SpecError where the spec, the weights or the way back are wrong, CannotAnswer where there is
    nothing to export or the folder cannot be written.
    """
    began = time.monotonic()
    spec = archspec.load(path, set=set)
    _named(spec)
    asked = weights if weights is not None else _built(path)
    kept = untie(spec, lowered(spec), asked)
    fused = fuse(kept.plain)
    found = weights_for(kept.spec, kept.plain, fused, asked)
    if found.sources is None:
        raise CannotAnswer("there are no weights to export", found.absent or "`none` has none")
    tensors = _laid_out(kept, fused, found.sources)
    size = sum(tensor.nbytes for tensor in tensors.values())
    steps = Counter(progress, "writing weights", size)
    files = publish(Path(out), sharded(tensors, shard_bytes), steps)
    seconds = time.monotonic() - began
    return Exported(spec.name, out, files, len(tensors), size, seconds, kept.warnings)


def _named(spec: Spec) -> None:
    """Refuse a spec whose parameters have no names but our own."""
    if spec.weights is not None:
        return
    hint = "say whose files these are, such as `weights: llama`, or write the rules"
    label = Label(spec.span, "no `weights:` in this spec")
    message = "there is no layout of files to export to"
    raise SpecError((Diagnostic("AR0715", message, label, help=hint),))


def _built(path: str) -> str:
    """The weights of the spec's own build."""
    file = places(path).binaries / WEIGHTS_FILE
    if path == "-" or not file.is_file():
        raise CannotAnswer(
            f"there is no `{file}`", "build the spec first, or name a checkpoint with `--weights`"
        )
    return str(file)


def _laid_out(kept: Untied, fused: Program, sources: Mapping[str, Lazy]) -> Mapping[str, Lazy]:
    """The weights under the names of the family's files. Raises SpecError where they have none."""
    reading = reading_of(kept.spec, kept.plain, fused)
    assert reading.rules is not None and kept.spec.weights is not None
    place = kept.spec.weights.span
    made = lay_out(sources, reading.rules, sizes=reading.sizes, ties=reading.ties, place=place)
    if isinstance(made, tuple):
        raise SpecError(made)
    return made
