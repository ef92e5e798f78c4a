"""A claim on a folder that dies with its process, and so tells leftovers from work going on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Claim:
    """An exclusive lock on a folder; the system drops it when the process ends, however it ends."""

    def __init__(self, folder: Path, *, wait: bool) -> None:
        self.held = True
        self._handle = -1
        if os.name == "posix":
            self._lock(folder, wait=wait)

    def _lock(self, folder: Path, *, wait: bool) -> None:
        import fcntl

        self._handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            self.held = False
        except OSError:
            pass  # a file system without locks: two builds of one target at once are then unguarded

    def release(self) -> None:
        """Let go; harmless when called twice."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Wait for the claim on a folder and hold it for the block."""
    claim = Claim(folder, wait=True)
    try:
        yield
    finally:
        claim.release()


def is_abandoned(folder: Path) -> bool:
    """Whether no living process holds the claim on a folder."""
    try:
        claim = Claim(folder, wait=False)
    except FileNotFoundError:
        return False
    claim.release()
    return claim.held
