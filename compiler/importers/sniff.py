"""What kind of file this is, by its first bytes."""

import zipfile
from enum import Enum
from pathlib import Path


class Container(Enum):
    """Kinds of file that are offered as weights; the value completes "the file is ..."."""

    SAFETENSORS = "a safetensors file"
    TORCH = "a torch file"
    LFS = "a Git LFS pointer, not the weights themselves"
    GGUF = "a GGUF file"
    HDF5 = "an HDF5 file"
    ZIP = "a zip archive that torch did not write"
    TEXT = "a text file"
    EMPTY = "empty"
    UNKNOWN = "not a weights file"


STARTS = {
    b"version https://git-lfs": Container.LFS,
    b"GGUF": Container.GGUF,
    b"\x89HDF": Container.HDF5,
    b"\x80": Container.TORCH,
}


def sniff(path: Path) -> Container:
    """The kind of `path`, from 64 bytes (and, in a zip, its table of contents).

    Raises OSError where the file cannot be read.
    """
    with path.open("rb") as file:
        first = file.read(64)
    if not first:
        return Container.EMPTY
    for start, kind in STARTS.items():
        if first.startswith(start):
            return kind
    if first.startswith(b"PK"):
        return _zip(path)
    if first[8:9] == b"{" or path.suffix == ".safetensors":
        return Container.SAFETENSORS
    return Container.TEXT if _reads_as_text(first) else Container.UNKNOWN


def _zip(path: Path) -> Container:
    """A torch file; also a damaged one, so that what torch says about it reaches the reader."""
    try:
        with zipfile.ZipFile(path) as archive:
            ours = any(name.endswith("data.pkl") for name in archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError):
        return Container.TORCH
    return Container.TORCH if ours else Container.ZIP


def _reads_as_text(first: bytes) -> bool:
    return all(byte in b"\t\n\r" or 0x20 <= byte < 0x7F for byte in first)
