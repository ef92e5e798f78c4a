"""Where the files of a spec are read from: a disk, or something that stands for one."""

from pathlib import Path
from typing import Final, Protocol


class Reader(Protocol):
    """What gives the bytes of a file by its path, and the name that places in it are shown by."""

    def read(self, path: Path, most: int) -> bytes:
        """At most `most` bytes of a file. Raises OSError or ValueError where it has none."""
        ...

    def shown(self, path: str) -> str:
        """The name of a file in diagnostics and reports."""
        ...


class Disk:
    """The files of this machine, by their own names."""

    def read(self, path: Path, most: int) -> bytes:
        """At most `most` bytes of a file. Raises OSError or ValueError where it has none."""
        with path.open("rb") as stream:
            return stream.read(most)

    def shown(self, path: str) -> str:
        """The path itself."""
        return path


DISK: Final = Disk()
