"""A folder of binaries that version control leaves alone, as those of caches are."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from compiler.pipeline.folder import plainly

IGNORE: Final = ".gitignore"
EVERYTHING: Final = "*\n"


@contextmanager
def unversioned(root: Path | None) -> Iterator[None]:
    """Where the block makes `root`, it gets a `.gitignore` of everything; one that is there, and a
    folder that was there before, stay as they are."""
    there = root is None or root.exists()
    yield
    if there or root is None or not root.is_dir():
        return
    with plainly(root):
        try:
            with (root / IGNORE).open("x", encoding="utf-8") as file:
                file.write(EVERYTHING)
        except FileExistsError:
            pass  # another build has just made it
