"""One weights file, told apart by its first bytes and opened tensor by tensor."""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from archspec.source.diagnostic import Diagnostic
from compiler.importers.header import Damage, Entry, Header, read_header
from compiler.importers.lazy import WORDS, Lazy, Stored, width
from compiler.importers.pickled import open_pickled
from compiler.importers.problem import about_file
from compiler.importers.sniff import Container, sniff

if TYPE_CHECKING:
    from compiler.importers.lazy import Array


@dataclass(frozen=True)
class Checkpoint(Mapping[str, Lazy]):
    """Tensors by name, in file order; `path` is the file or folder they were asked for."""

    path: Path
    tensors: Mapping[str, Lazy]

    def __getitem__(self, name: str) -> Lazy:
        return self.tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)


Opened: TypeAlias = Checkpoint | tuple[Diagnostic, ...]


def open_file(path: Path) -> Opened:
    """Open one weights file, told apart by its first bytes and never by its name alone.

    Raises OSError where it cannot be read.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        note = "neither a file nor a folder"
        return (about_file("AR0701", path, f"`{path}` is not a file", note),)
    kind = sniff(path)
    if kind is Container.SAFETENSORS:
        return _open_safetensors(path)
    if kind is Container.TORCH:
        found = open_pickled(path)
        return found if isinstance(found, tuple) else Checkpoint(path, found)
    hint = "weights are read from safetensors files and from .pt, .pth or .bin files of torch"
    note = "expected safetensors or a torch state dict"
    return (about_file("AR0702", path, f"`{path.name}` is {kind.value}", note, hint),)


def _open_safetensors(path: Path) -> Opened:
    header = read_header(path)
    if isinstance(header, Damage):
        if header.unsupported:
            message = f"`{path.name}` holds a type that is not supported"
            return (about_file("AR0706", path, message, header.reason),)
        hint = "the download may be incomplete; fetch the file again"
        message = f"`{path.name}` is damaged"
        return (about_file("AR0703", path, message, header.reason, hint),)
    return Checkpoint(path, {n: _stored(path, header, e) for n, e in header.entries.items()})


def _stored(path: Path, header: Header, entry: Entry) -> Lazy:
    def load() -> "Array":
        import numpy as np

        if entry.start == entry.end:
            return np.empty(entry.shape, WORDS[entry.dtype])
        place = header.begin + entry.start
        mapped = np.memmap(path, WORDS[entry.dtype], "r", place, entry.shape or (1,))
        return mapped.view(np.ndarray).reshape(entry.shape)

    def stream(most: int) -> Iterator["Array"]:
        import numpy as np

        place, end = header.begin + entry.start, header.begin + entry.end
        with path.open("rb") as file:
            file.seek(place)
            while place < end:
                count = min(most, (end - place) // width(entry.dtype))
                piece = np.fromfile(file, WORDS[entry.dtype], count)
                if len(piece) < count:
                    raise OSError(f"`{path}` became shorter while it was read")
                place += piece.nbytes
                yield piece

    stored = Stored(path, header.begin + entry.start)
    return Lazy(entry.shape, entry.dtype, load, stream, stored=stored)


def unreadable(path: Path, error: OSError) -> Diagnostic:
    """AR0701: the system's own reason why `path` cannot be read."""
    reason = (error.strerror or str(error)).lower()
    return about_file("AR0701", path, f"cannot read the weights `{path}`", reason)
