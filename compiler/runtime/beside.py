"""What a folder says beside its model of how it is run, also one of onnxruntime-genai's."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.runtime.published import MANIFEST, read_object

CONFIG: Final = "genai_config.json"


class Beside(Frozen):
    """What the model file itself leaves open.

    Attributes:
        shares: whether past and present may be one buffer, longer than what it holds.
        head_size: the last size of what is kept; 0 where it is not said.
        options: what CUDA's provider is to be told.
        precision: the numbers of a model of ours; empty where nobody says it.
        target: what it was built for, such as `cuda`; empty where nobody says it.
    """

    shares: bool = False
    head_size: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    precision: str = ""
    target: str = ""


def read_beside(folder: Path) -> Beside:
    """What `genai_config.json` and the manifest say; nothing where none can be read."""
    said = read_object(folder / CONFIG)
    shares = _at(said, "search", "past_present_share_buffer")
    size = _at(said, "model", "decoder", "head_size")
    model = _at(read_object(folder / MANIFEST), "model")
    precision, target = (_at(model, key) for key in ("precision", "target"))
    return Beside(
        shares is True,
        size if type(size) is int and size > 0 else 0,
        _options(_at(said, "model", "decoder", "session_options", "provider_options")),
        precision if isinstance(precision, str) else "",
        target if isinstance(target, str) else "",
    )


def _options(said: Any) -> dict[str, str]:
    """The options of the provider that is called `cuda`."""
    for each in said if isinstance(said, list) else ():
        options = each.get("cuda") if isinstance(each, dict) else None
        if isinstance(options, dict):
            return {key: str(value) for key, value in options.items()}
    return {}


def _at(said: Any, *keys: str) -> Any:
    for key in keys:
        said = said.get(key) if isinstance(said, dict) else None
    return said
