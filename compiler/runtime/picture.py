"""A picture as the numbers that a model sees, by the `preprocessor_config.json` beside it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from compiler.answer import CannotAnswer
from compiler.runtime.published import read_object

if TYPE_CHECKING:
    from PIL import Image

    from compiler.runtime.kept import Array

CONFIG: Final = "preprocessor_config.json"
ARRAY: Final = "give the picture as an array, in a .npy file"
BILINEAR: Final = 2
"""Pillow's number for it, and what is meant where a config names no way to resize."""


def read_picture(path: Path, folder: Path, height: int, width: int) -> "Array":
    """Channels, rows and columns [3, H, W] of a PNG or JPEG file.

    Resized, cut to its middle, scaled and normalised as the model's folder says. Raises
    `CannotAnswer` where it does not say so, for a file that is no picture, and without Pillow.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise CannotAnswer("`pillow`, which reads pictures, is missing", ARRAY) from error
    said = read_object(folder / CONFIG)
    if not said:
        raise CannotAnswer(
            f"`{folder}` has no `{CONFIG}` that says how pictures become numbers",
            ARRAY,
        )
    try:
        with Image.open(path) as file:
            picture = file.convert("RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError) as error:
        raise CannotAnswer(f"`{path}` is no picture that can be read: {error}") from error
    try:
        return _numbers(picture, said, height, width)
    except (TypeError, ValueError, KeyError, ArithmeticError, MemoryError) as error:
        why = str(error) or type(error).__name__
        raise CannotAnswer(f"`{folder / CONFIG}` cannot be followed: {why}", ARRAY) from error


def _numbers(picture: "Image.Image", said: Mapping[str, Any], height: int, width: int) -> "Array":
    """The steps that transformers' processors of images have in common, in their order."""
    import numpy as np

    if said.get("do_resize", True):
        size = _size(said.get("size"), picture.width, picture.height) or (width, height)
        picture = picture.resize(size, resample=said.get("resample", BILINEAR))
    if said.get("do_center_crop", False):
        left, top = (picture.width - width) // 2, (picture.height - height) // 2
        picture = picture.crop((left, top, left + width, top + height))
    numbers: Array = np.asarray(picture, np.float32)
    with np.errstate(all="ignore"):  # what comes to no number is said below
        if said.get("do_rescale", True):
            numbers = numbers * np.float32(said.get("rescale_factor", 1 / 255))
        if said.get("do_normalize", True):
            mean, deviation = (said.get(f"image_{name}", [0.5] * 3) for name in ("mean", "std"))
            numbers = (numbers - np.array(mean, np.float32)) / np.array(deviation, np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("it scales a picture to numbers that are not finite")
    return np.ascontiguousarray(numbers.transpose(2, 0, 1))


def _size(said: Any, width: int, height: int) -> tuple[int, int] | None:
    """Width and height to resize to: both given, or the shorter edge; None where nothing is."""
    if isinstance(said, int):
        said = {"height": said, "width": said}
    if not isinstance(said, dict):
        return None
    if "shortest_edge" in said:
        edge = said["shortest_edge"]
        short, long = min(width, height), max(width, height)
        longer = int(edge * long / short)
        return (edge, longer) if width <= height else (longer, edge)
    return said["width"], said["height"]
