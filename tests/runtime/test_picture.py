"""Pictures: the numbers that transformers' processors make of them."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from compiler.answer import CannotAnswer
from compiler.runtime.picture import CONFIG, read_picture

VIT = {"size": {"height": 20, "width": 20}, "resample": 2}
CLIP = {"size": {"shortest_edge": 20}, "crop_size": {"height": 20, "width": 20}, "resample": 3}
MEAN, DEVIATION = [0.4, 0.5, 0.6], [0.2, 0.3, 0.25]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """Wide, and smooth enough to tell ways of resizing apart from errors."""
    rows, columns = np.mgrid[:37, :61]
    colours = np.stack([rows * 6, columns * 4, (rows * columns) % 256], axis=-1)
    Image.fromarray(colours.astype(np.uint8)).save(tmp_path / "a.png")
    return tmp_path / "a.png"


@pytest.mark.parametrize("kind", ["vit", "clip"])
def test_numbers_are_those_of_transformers(kind: str, picture: Path) -> None:
    from transformers import CLIPImageProcessorPil, ViTImageProcessorPil

    made: Any = ViTImageProcessorPil if kind == "vit" else CLIPImageProcessorPil
    said = VIT if kind == "vit" else CLIP
    process = made(**said, image_mean=MEAN, image_std=DEVIATION)
    process.save_pretrained(picture.parent)
    assert (picture.parent / CONFIG).is_file()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = process(Image.open(picture), return_tensors="np")["pixel_values"][0]
    found = read_picture(picture, picture.parent, 20, 20)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (None, "has no `preprocessor_config.json`"),
        ({"size": {"height": "x", "width": 3}}, "cannot be followed"),
        ({"image_mean": [1, 2]}, "cannot be followed"),
        ({"resample": "best"}, "cannot be followed"),
        ({"image_std": [0, 0, 0]}, "numbers that are not finite"),
        ({"rescale_factor": None}, "numbers that are not finite"),
        ({"size": {"height": 10**9, "width": 10**9}}, "cannot be followed: MemoryError"),
    ],
)
def test_what_says_nothing_of_pictures_is_refused(
    config: dict[str, Any] | None, said: str, picture: Path
) -> None:
    if config is not None:
        (picture.parent / CONFIG).write_text(json.dumps(config))
    with pytest.raises(CannotAnswer, match=said):
        read_picture(picture, picture.parent, 20, 20)


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    (tmp_path / CONFIG).write_text(json.dumps(VIT))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n cut")
    with pytest.raises(CannotAnswer, match="no picture that can be read"):
        read_picture(tmp_path / "a.png", tmp_path, 20, 20)
