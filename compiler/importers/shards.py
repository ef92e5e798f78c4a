"""A folder of weights: one file, or shards and the index that lists them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from archspec.source.diagnostic import Diagnostic
from compiler.importers.fold import listed
from compiler.importers.lazy import Lazy
from compiler.importers.printable import printable
from compiler.importers.problem import HELP_INDENT, about_file
from compiler.importers.weights_file import Checkpoint, Opened, open_file, unreadable

SUFFIXES = (".safetensors", ".bin", ".pt", ".pth")
"""In order of preference."""

OF_TRAINING = frozenset(
    {"training_args.bin", "optimizer.bin", "optimizer.pt", "scheduler.bin", "scheduler.pt"}
)
"""What trainers leave beside the weights under the same suffixes; `rng_state…` is more of it."""

LARGEST_INDEX = 100_000_000


def open_folder(path: Path) -> Opened:
    """Open the weights in a folder: the index if there is one, else the one weights file.

    Raises OSError where the folder cannot be listed.
    """
    names = sorted(entry.name for entry in path.iterdir() if not _is_of_training(entry.name))
    for suffix in SUFFIXES:
        indexes = [name for name in names if name.endswith(f"{suffix}.index.json")]
        files = [name for name in names if name.endswith(suffix)]
        if len(indexes) == 1:
            return _open_index(path, path / indexes[0])
        if not indexes and len(files) == 1:
            found = open_file(path / files[0])
            return found if isinstance(found, tuple) else Checkpoint(path, found.tensors)
        if indexes or files:
            return (_unclear(path, indexes or files),)
    hint = f"looked for files that end in {', '.join(SUFFIXES)}"
    note = "no weights file in this folder"
    return (about_file("AR0701", path, f"no weights in `{path}`", note, hint),)


def holds_weights(path: Path) -> bool:
    """Whether anything in a folder looks like weights, to be opened or not."""
    names = (entry.name for entry in path.iterdir() if not _is_of_training(entry.name))
    return any(name.endswith(SUFFIXES) for name in names)


def _is_of_training(name: str) -> bool:
    return name in OF_TRAINING or name.startswith("rng_state")


def _unclear(path: Path, names: list[str]) -> Diagnostic:
    hint = f"name the file itself; there are {listed(names)}"
    note = f"{len(names)} weights files and no index"
    return about_file("AR0704", path, f"several weights in `{path}`", note, hint)


def _open_index(folder: Path, index: Path) -> Opened:
    places = _weight_map(index)
    if isinstance(places, Diagnostic):
        return (places,)
    problems: list[Diagnostic] = []
    tensors: dict[str, Lazy] = {}
    for shard in sorted(set(places.values())):
        expected = {name for name, place in places.items() if place == shard}
        found = _open_shard(folder, index, shard, expected)
        if isinstance(found, tuple):
            problems.extend(found)
            continue
        tensors.update(found)
    return tuple(problems) or Checkpoint(folder, tensors)


def _weight_map(index: Path) -> dict[str, str] | Diagnostic:
    said = _json(index)
    places = said.get("weight_map") if isinstance(said, dict) else None
    fits = isinstance(places, dict) and all(_plain(place) for place in places.values())
    if not fits or not places:
        note = "`weight_map` must give a file name of this folder for every tensor"
        return about_file("AR0703", index, f"`{index.name}` is damaged", note)
    return dict(places)


def _json(path: Path) -> Any:
    if path.stat().st_size > LARGEST_INDEX:
        return None
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None


def _plain(place: Any) -> bool:
    """Whether `place` names a file of the index's own folder."""
    if not isinstance(place, str) or not place.isprintable() or place in {"", ".."}:
        return False
    return Path(place).name == place


def _open_shard(
    folder: Path, index: Path, shard: str, expected: set[str]
) -> Mapping[str, Lazy] | tuple[Diagnostic, ...]:
    try:
        found = open_file(folder / shard)
    except FileNotFoundError:
        message = f"shard `{printable(shard)}` is missing"
        count = len(expected)
        note = "1 tensor is listed in it" if count == 1 else f"{count} tensors are listed in it"
        return (about_file("AR0704", index, message, note, "fetch the whole folder again"),)
    except OSError as error:
        return (unreadable(folder / shard, error),)
    if isinstance(found, tuple):
        return found
    absent, extra = expected - set(found), set(found) - expected
    if not absent and not extra:
        return found.tensors
    message = f"shard `{printable(shard)}` and the index disagree"
    lines = [f"absent from the shard: {listed(absent)}"] if absent else []
    lines += [f"absent from the index: {listed(extra)}"] if extra else []
    note = f"{len(absent | extra)} tensors are in one of them only"
    return (about_file("AR0704", index, message, note, HELP_INDENT.join(lines)),)
