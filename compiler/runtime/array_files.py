"""Files of arrays, as numpy writes them and as anybody may send them."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from compiler.answer import CannotAnswer

if TYPE_CHECKING:
    from compiler.runtime.kept import Array

Read = TypeVar("Read")


def read_arrays(path: Path) -> dict[str, "Array"]:
    """The arrays of an .npz file by their names; raises `CannotAnswer` where it is none."""
    import numpy as np

    if not path.is_file():
        raise CannotAnswer(f"there is no file `{path}`")
    if not zipfile.is_zipfile(path):
        raise CannotAnswer(f"`{path}` is no .npz file", "write it with `numpy.savez`")

    def read() -> "dict[str, Array]":
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}

    found = _read(path, ".npz file of arrays", read)
    for name, array in found.items():
        if not isinstance(array, np.ndarray):
            raise CannotAnswer(f"`{name}` in `{path}` is no array", "write it with `numpy.savez`")
    return found


def read_array(path: Path) -> "Array":
    """The array of an .npy file; raises `CannotAnswer` where it is none."""
    import numpy as np

    def read() -> "Array":
        with path.open("rb") as file:
            found: Array = np.lib.format.read_array(file, allow_pickle=False)
            return found

    return _read(path, ".npy file of an array", read)


def _read(path: Path, kind: str, read: Callable[[], Read]) -> Read:
    """What numpy reads; damaged files make it and what it calls raise errors of every kind."""
    try:
        return read()
    except MemoryError as error:
        raise CannotAnswer(f"`{path}` has arrays too large for the memory") from error
    except Exception as error:
        said = str(error) or type(error).__name__
        raise CannotAnswer(f"`{path}` is no {kind}: {' '.join(said.split())[:200]}") from error
