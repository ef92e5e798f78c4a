"""Released models that a new spec may start from: the specs that ship with archc."""

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "archspec"
FOLDERS = (PACKAGE / "presets", PACKAGE.parent / "specs")
"""Where an installation has them, and where a clone does."""

FAMILIES = ("decoder", "encoder", "encoder-decoder", "vision", "multimodal")


@cache
def presets() -> dict[str, Path]:
    """The specs of released models by their names, sorted within each family."""
    folder = next((each for each in FOLDERS if each.is_dir()), FOLDERS[0])
    return {
        path.stem: path for family in FAMILIES for path in sorted((folder / family).glob("*.yaml"))
    }
