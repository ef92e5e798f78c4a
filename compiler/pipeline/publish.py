"""Weights written for others: files of a folder that appear once all of them are whole."""

from collections.abc import Callable
from pathlib import Path

from compiler.answer import CannotAnswer
from compiler.importers.sharding import INDEX, Shards, index_text
from compiler.importers.shards import SUFFIXES
from compiler.importers.write import write_safetensors
from compiler.pipeline.durable import sync, write_whole
from compiler.pipeline.folder import full_disk, plainly


def publish(folder: Path, shards: Shards, progress: Callable[[int], None]) -> tuple[str, ...]:
    """Write `shards` into `folder`, which may hold other files but no weights; returns the names.

    Each file is written under a hidden name and renamed when all are on the disk, the index of
    several last, so that a folder which reads as weights has all of them. One tensor of ours and
    what it is made of are in memory at a time. Raises CannotAnswer where the folder holds weights
    or cannot be written; it is then as it was.
    """
    with plainly(folder):
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_weights(folder)
    drafts = {folder / f".{name}.part": folder / name for name in shards}
    index = {INDEX: index_text(shards)} if len(shards) > 1 else {}
    try:
        with full_disk(folder):
            for draft, tensors in zip(drafts, shards.values(), strict=True):
                write_safetensors(draft, tensors, progress=progress)
                sync(draft)
        with plainly(folder):
            for draft, place in drafts.items():
                draft.rename(place)
            for name, text in index.items():
                write_whole(folder / name, text)
            sync(folder)
    except BaseException:
        _take_away([*drafts, *drafts.values()], folder if made else None)
        raise
    return (*shards, *index)


def _refuse_weights(folder: Path) -> None:
    held = sorted(
        each.name
        for each in folder.iterdir()
        if each.name.endswith((*SUFFIXES, *(f"{suffix}.index.json" for suffix in SUFFIXES)))
    )
    if held:
        raise CannotAnswer(
            f"`{folder}` holds weights already: `{held[0]}`",
            "move them away, or choose another folder",
        )


def _take_away(files: list[Path], made: Path | None) -> None:
    for file in files:
        file.unlink(missing_ok=True)
    if made is not None and not any(made.iterdir()):
        made.rmdir()
