"""A large file and its SHA-256, taken while it is written."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from compiler.importers.lazy import Array


@dataclass(frozen=True)
class File:
    """One file as written: its length in bytes and its SHA-256."""

    bytes: int
    sha256: str


class HashedFile:
    """A file written once, from its first byte to its last.

    A piece is hashed in a thread of its own while it is written and while the next one is made;
    two pieces are held at most, and nobody may change one after handing it over.
    """

    def __init__(self, file: BinaryIO, hasher: ThreadPoolExecutor) -> None:
        self._file = file
        self._hasher = hasher
        self._digest = hashlib.sha256()
        self._hashing: Future[None] | None = None
        self.bytes = 0

    def write(self, piece: "bytes | Array") -> None:
        """Append a piece, an array in C order. Raises OSError where the file takes no more."""
        content = piece if isinstance(piece, bytes) else piece.data
        self._wait()
        self._hashing = self._hasher.submit(self._digest.update, content)
        self._file.write(content)
        self.bytes += len(piece) if isinstance(piece, bytes) else piece.nbytes

    def measured(self) -> File:
        """Length and SHA-256 of what was written so far."""
        self._wait()
        return File(self.bytes, self._digest.hexdigest())

    def _wait(self) -> None:
        if self._hashing is not None:
            self._hashing.result()


@contextmanager
def hashed(path: Path) -> Iterator[HashedFile]:
    """Write the file at `path` anew; the caller syncs. Raises OSError where that fails."""
    with path.open("wb") as file, ThreadPoolExecutor(1) as hasher:
        yield HashedFile(file, hasher)
