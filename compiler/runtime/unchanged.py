"""Whether the files of a model are still those that its folder was built with, as far as a look at
their lengths and headers tells."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from compiler.answer import CannotAnswer
from compiler.runtime.published import MANIFEST, read_object

FORMAT: Final = 1
"""The manifests that are understood."""
LENGTH_BYTES: Final = 8
MOST_HEADER: Final = 100_000_000
"""Bytes of the longest header that safetensors itself reads."""
REMEDY: Final = "build it again; `archc verify` of the folder looks at every byte"


def check_unchanged(folder: Path, models: Iterable[str]) -> None:
    """Hold the `models` of a folder and the files that they point into against its manifest.

    Files of weights that were changed would be read at places that mean something else, in
    silence. Raises `CannotAnswer` where a length or the header of a safetensors file is another
    one, and where a later archc wrote the manifest; a folder without one says nothing.
    """
    said = read_object(folder / MANIFEST)
    number, files = said.get("manifest"), said.get("files")
    if type(number) is int and number > FORMAT and "spec" in said:
        raise CannotAnswer(
            f"`{folder / MANIFEST}` is of a later archc than this one",
            "update archc, or build again",
        )
    model = said.get("model")
    data = model.get("data") if isinstance(model, dict) else None
    for name in (*models, *(data if isinstance(data, list) else ())):
        found = files.get(name) if isinstance(files, dict) else None
        if isinstance(found, dict) and (folder / name).is_file():
            _check(folder / name, found)


def header_sha256(path: Path) -> str:
    """The SHA-256 of the header of a safetensors file, which says where each tensor lies.

    Of a header that says that it is longer than any may be, its length and as much as may be.
    """
    with path.open("rb") as file:
        first = file.read(LENGTH_BYTES)
        length = int.from_bytes(first, "little")
        whole = first + file.read(min(length, MOST_HEADER))
    return hashlib.sha256(whole).hexdigest()


def _check(path: Path, said: dict[str, Any]) -> None:
    size, wanted = path.stat().st_size, said.get("bytes")
    if type(wanted) is int and size != wanted:
        raise CannotAnswer(f"`{path}` has {size} bytes and was built with {wanted}", REMEDY)
    header = said.get("header_sha256")
    if isinstance(header, str) and header_sha256(path) != header:
        raise CannotAnswer(
            f"`{path}` has its tensors at other places than when the model was built", REMEDY
        )
