"""Opening published weights: one file or a folder, safetensors or torch, tensor by tensor."""

from pathlib import Path

from compiler.importers.shards import open_folder
from compiler.importers.weights_file import Checkpoint, Opened, open_file, unreadable

__all__ = ["Checkpoint", "open_checkpoint"]


def open_checkpoint(path: Path) -> Opened:
    """Open a weights file or folder; nothing but headers is read.

    A folder holds one weights file, or shards with their index. What cannot be opened is said in
    diagnostics AR0701 to AR0706.
    """
    try:
        return open_folder(path) if path.is_dir() else open_file(path)
    except OSError as error:
        return (unreadable(path, error),)
