"""What a folder that another tool made for onnxruntime-genai says beside its model."""

from pathlib import Path
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.runtime.published import read_object

CONFIG: Final = "genai_config.json"


class Beside(Frozen):
    """What the model file itself leaves open.

    Attributes:
        shares: whether past and present may be one buffer, longer than what it holds.
        head_size: the last size of what is kept; 0 where it is not said.
    """

    shares: bool = False
    head_size: int = 0


def read_beside(folder: Path) -> Beside:
    """What `genai_config.json` says; nothing where there is none that can be read."""
    said = read_object(folder / CONFIG)
    shares = _at(said, "search", "past_present_share_buffer")
    size = _at(said, "model", "decoder", "head_size")
    return Beside(shares is True, size if type(size) is int and size > 0 else 0)


def _at(said: Any, *keys: str) -> Any:
    for key in keys:
        said = said.get(key) if isinstance(said, dict) else None
    return said
