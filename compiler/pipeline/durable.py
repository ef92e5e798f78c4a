"""Make what was written survive a power cut, where the system can promise that."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Flush a file's bytes, or a folder's names, to the disk; does nothing outside POSIX.

    A file system that cannot sync a folder (some network mounts) says so with an error that
    changes nothing for a living system, so it is passed over.
    """
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        if not path.is_dir():
            raise
    finally:
        os.close(handle)


def write_whole(path: Path, text: str) -> None:
    """Write a text file under another name first, so that its own name never holds a part of it."""
    unfinished = path.with_name(f".{path.name}.part")
    with unfinished.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(path)
