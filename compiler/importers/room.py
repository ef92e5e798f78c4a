"""Whether a disk has room for what is to be written."""

import shutil
from pathlib import Path

from compiler.answer import CannotAnswer
from compiler.report.numbers import memory


def need_room(folder: Path, size: int) -> None:
    """Raises CannotAnswer where the disk of an existing folder has less than `size` bytes free."""
    free = shutil.disk_usage(folder).free
    if size > free:
        raise CannotAnswer(
            f"{memory(size)} are to be written and {memory(free)} are free on the disk "
            f"of `{folder.parent}`",
            "what was there is unchanged",
        )
