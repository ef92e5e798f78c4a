"""A large file and its SHA-256, taken while it is written."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from archspec.source.frozen import Frozen

if TYPE_CHECKING:
    from compiler.importers.lazy import Array


class File(Frozen):
    """One file as written: its length in bytes and its SHA-256."""

    bytes: int
    sha256: str


class HashedFile:
    """A file written once, from its first byte to its last.

    Two threads write and hash a piece while the next one is made; two pieces are held at most, and
    nobody may change one after handing it over.
    """

    def __init__(self, file: BinaryIO, threads: ThreadPoolExecutor) -> None:
        self._file = file
        self._threads = threads
        self._digest = hashlib.sha256()
        self._running: list[Future[Any]] = []
        self.bytes = 0

    def write(self, piece: "bytes | Array") -> None:
        """Append a piece, an array in C order.

        Raises OSError where the file did not take the piece before.
        """
        content = piece if isinstance(piece, bytes) else piece.data
        self._wait()
        self._running = [
            self._threads.submit(self._digest.update, content),
            self._threads.submit(self._file.write, content),
        ]
        self.bytes += len(piece) if isinstance(piece, bytes) else piece.nbytes

    def measured(self) -> File:
        """Length and SHA-256 of the whole file. Raises OSError where it did not take all."""
        self._wait()
        self._file.flush()
        return File(self.bytes, self._digest.hexdigest())

    def _wait(self) -> None:
        running, self._running = self._running, []
        for each in running:
            each.result()


@contextmanager
def hashed(path: Path) -> Iterator[HashedFile]:
    """Write the file at `path` anew; the caller syncs. Raises OSError where that fails."""
    with path.open("wb") as file, ThreadPoolExecutor(2) as threads:
        yield HashedFile(file, threads)
