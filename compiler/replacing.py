"""A file that is written whole or not at all: beside its place, and then renamed."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from compiler.answer import CannotAnswer


def replace_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Have `write` fill a file, so that a killed run never leaves half of it, and of two at once
    the last one's is whole; a pipe or a device is written to as it is.

    Raises CannotAnswer where that cannot be done.
    """
    with _plainly(path):
        if not path.exists() or path.is_file():
            _beside(Path(os.path.realpath(path)), write)
            return
        with path.open("wb") as file:  # by its own name: the real one of a pipe cannot be opened
            write(file)


def check_place(path: Path) -> None:
    """Raises CannotAnswer where no file can be written: before the work that would fill it."""
    with _plainly(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            return
        folder = Path(os.path.realpath(path)).parent
        number = errno.EISDIR if path.is_dir() else 0 if folder.is_dir() else errno.ENOENT
        if not number and not os.access(folder, os.W_OK | os.X_OK):
            number = errno.EROFS if _is_read_only(folder) else errno.EACCES
        if number:
            raise OSError(number, os.strerror(number))


def _is_read_only(folder: Path) -> bool:
    """Whether a folder lies on a file system that nobody may write to."""
    about = os.statvfs(folder) if hasattr(os, "statvfs") else None
    return about is not None and bool(about.f_flag & os.ST_RDONLY)


def _beside(real: Path, write: Callable[[BinaryIO], object]) -> None:
    unfinished = real.with_name(f".{real.name[:80]}.{os.getpid()}.part")
    file = unfinished.open("wb")
    try:
        with file:
            write(file)
        if real.exists():
            unfinished.chmod(real.stat().st_mode)
        unfinished.replace(real)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


@contextmanager
def _plainly(path: Path) -> Iterator[None]:
    """Say in a sentence why a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise CannotAnswer(f"cannot write `{path}`: {error.strerror or error}") from error
