"""Small specs of every family in a project of its own."""

from pathlib import Path

import pytest

from compiler.cli.starting import template_text

FAMILIES = ("decoder", "llama", "encoder", "encoder-decoder", "vit")
SMALLER = (
    ("32000", "50"),
    ("30522", "50"),
    ("d_model: 512", "d_model: 16"),
    ("d_model: 384", "d_model: 24"),
    ("n_layers: 8", "n_layers: 2"),
    ("n_layers: 6", "n_layers: 2"),
    ("n_layers: 12", "n_layers: 2"),
    ("image: 224", "image: 32"),
    ("1000", "10"),
)


def small_spec(family: str, folder: Path) -> Path:
    """A template shrunk to a size that builds in a moment, written below `folder`/specs."""
    text = template_text(family).replace("NAME", "tiny")
    for large, small in SMALLER:
        text = text.replace(large, small)
    spec = folder / "specs" / family / "tiny.yaml"
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(text)
    return spec.relative_to(folder)


@pytest.fixture
def decoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small decoder; its project is the working folder."""
    monkeypatch.chdir(tmp_path)
    return small_spec("decoder", tmp_path)
