"""Where the weights of a model folder lie: in the checkpoint's own files, or in files written
anew."""

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.data import INLINE
from compiler.importers.checkpoint import Checkpoint, open_checkpoint
from compiler.importers.fold import listed
from compiler.importers.fusion import fuse as joined
from compiler.importers.lazy import Lazy
from compiler.importers.room import need_room
from compiler.importers.write import write_safetensors
from compiler.ir.target import Target
from compiler.pipeline.manifest import FileRecord
from compiler.pipeline.weights import Weights
from compiler.runtime.unchanged import header_sha256

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.pipeline.folder import Draft

WEIGHTS_FILE: Final = "model.safetensors"

PIECE: Final = 8 << 20
"""Bytes copied at a time."""

PACKED: Final = "packed in model.onnx.data"
DRAWN: Final = "drawn, and no `model.py` is written that would take them from a file"

KINDS: Final = {"fp32": "F32", "fp16": "F16", "bf16": "BF16"}
"""What a checkpoint calls the numbers of a precision."""


class WeightFiles(Frozen):
    """A source for every parameter, and what of them lies in the folder already.

    Attributes:
        sources: by the names of the program, of the fused one unless `apart`.
        linked: the names in the folder of files that hold tensors as they are.
        why: how the weights are held and the reason, in a line.
        apart: whether q, k and v stand apart as the checkpoint has them.
        for_torch: whether the folder has the weights as `model.py` takes them.
    """

    sources: Mapping[str, Lazy]
    linked: Mapping[Path, str] = field(default_factory=dict)
    why: str = ""
    apart: bool = False
    for_torch: bool = True


def weight_files(
    draft: "Draft",
    weights: Weights,
    target: Target,
    *,
    torch: bool,
    progress: "Callable[[int], None]",
) -> WeightFiles:
    """Put the weights into a folder, written as little as can be.

    `model.py` wants them in its own form, so with `torch` this is what is there; a checkpoint that
    has this form, or without `torch` one whose tensors the model can read as they lie, is linked.
    What needs neither goes from its source into the data of the model.
    """
    assert weights.sources is not None
    checkpoint = weights.checkpoint
    fused = joined(weights.sources, weights.fusions)
    if target.provider == "portable":
        if not torch:
            return WeightFiles(fused, for_torch=False)
        return WeightFiles(_opened(_written(draft, weights, progress)))
    unread = "" if weights.looked else "; its numbers were not read, NaN in it goes unseen"
    if checkpoint is not None and _same(checkpoint, fused):
        fits = _floats(target) and not _odd(fused, target)
        if torch or fits:
            (file,) = _files(checkpoint)
            _link(draft, file, WEIGHTS_FILE, progress)
            why = f"in place: {WEIGHTS_FILE} is the checkpoint itself{unread}"
            why = _said(target, checkpoint, why)
            return WeightFiles(checkpoint, {file: WEIGHTS_FILE}, why, for_torch=torch)
        return WeightFiles(checkpoint, why=_said(target, checkpoint, ""), for_torch=False)
    if torch:
        path = _written(draft, weights, progress)
        opened = _opened(path)
        why = f"in place: in {WEIGHTS_FILE}, which `model.py` takes too"
        return WeightFiles(opened, {path: WEIGHTS_FILE}, _said(target, opened, why))
    if checkpoint is None:
        return WeightFiles(fused, why=f"{PACKED}: {DRAWN}", for_torch=False)
    for held, apart in ((fused, False), (weights.sources, True)):
        if _floats(target) and not _odd(held, target):
            files = {file: file.name for file in _files(checkpoint)}
            for file, name in files.items():
                _link(draft, file, name, progress)
            how = "by themselves" if apart else "as one"
            why = f"in place: the checkpoint itself, q, k and v {how} as it has them{unread}"
            return WeightFiles(held, files, why, apart=apart, for_torch=False)
    return WeightFiles(fused, why=_said(target, weights.sources, ""), for_torch=False)


def _floats(target: Target) -> bool:
    return target.precision in KINDS and not target.choices


def _said(target: Target, held: Mapping[str, Lazy], why: str) -> str:
    """Why weights are packed, else `why` they are not."""
    if not _floats(target):
        return f"{PACKED}: as integers, which no checkpoint has"
    odd = _odd(held, target)
    return f"{PACKED}: {odd}" if odd else why


def _written(draft: "Draft", weights: Weights, progress: "Callable[[int], None]") -> Path:
    """Write the weights as `model.py` takes them; each is drawn, read or turned once."""
    assert weights.sources is not None
    path = draft.path(WEIGHTS_FILE)
    need_room(draft.folder, sum(source.nbytes for source in weights.sources.values()))
    file = write_safetensors(path, weights.sources, weights.fusions, progress=progress)
    draft.known(WEIGHTS_FILE, FileRecord(file.bytes, file.sha256, header_sha256(path)))
    return path


def _opened(path: Path) -> Checkpoint:
    opened = open_checkpoint(path)
    assert isinstance(opened, Checkpoint), opened
    return opened


def _same(checkpoint: Checkpoint, fused: Mapping[str, Lazy]) -> bool:
    """Whether a checkpoint is one file of safetensors that `model.py` takes as it is."""
    kinds = {name: (each.shape, each.dtype) for name, each in checkpoint.items()}
    if kinds != {name: (each.shape, each.dtype) for name, each in fused.items()}:
        return False
    return len(_files(checkpoint)) == 1 and all(each.stored for each in checkpoint.values())


def _files(checkpoint: Checkpoint) -> list[Path]:
    return sorted({each.stored.path for each in checkpoint.values() if each.stored is not None})


def _odd(sources: Mapping[str, Lazy], target: Target) -> str:
    """Why a model cannot read tensors as they lie; empty where it can."""
    large = {name: each for name, each in sources.items() if each.nbytes >= INLINE}
    others = sorted({each.dtype for each in large.values()} - {KINDS[target.precision]})
    if others:
        return f"the weights are {', '.join(others)} and the model {target.precision}"
    if large and not any(each.stored for each in sources.values()):
        return "the checkpoint is no file of safetensors, which alone is read as it lies"
    apart = [name for name, each in large.items() if each.stored is None]
    return f"the checkpoint has another layout for {listed(apart)}" if apart else ""


def _link(draft: "Draft", file: Path, name: str, progress: "Callable[[int], None]") -> None:
    """One file under a second name, copied where the folder lies on another file system.

    Its bytes are the checkpoint's own and are not read here: the manifest has their number alone.
    """
    place, size = draft.path(name), file.stat().st_size
    try:
        os.link(os.path.realpath(file), place)
    except OSError:
        need_room(draft.folder, size)
        _copy(file, place, progress)
    draft.known(name, FileRecord(size, "", header_sha256(place)))


def _copy(file: Path, place: Path, progress: "Callable[[int], None]") -> None:
    with file.open("rb") as given, place.open("wb") as made:
        while piece := given.read(PIECE):
            made.write(piece)
            progress(len(piece))
