"""Folders whose files are no longer those that they were built with."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from compiler.answer import CannotAnswer
from compiler.runtime.opening import open_session
from compiler.runtime.unchanged import header_sha256
from tests.pipeline.held import IDS, checkpoint, made, spec

__all__ = ["spec"]


def longer(folder: Path) -> None:
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"x")


def reordered(folder: Path) -> None:
    """The same tensors as another program writes them: as many bytes, other places."""
    path = folder / "model.safetensors"
    size, found = path.stat().st_size, load_file(path)
    save_file(dict(sorted(found.items(), reverse=True)), path, {"format": "pt"})
    if path.stat().st_size != size:
        path.write_bytes(path.read_bytes().ljust(size)[:size])


def another_graph(folder: Path) -> None:
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"\0")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (longer, r"model\.safetensors` has \d+ bytes and was built with \d+"),
        (reordered, r"model\.safetensors` has its tensors at other places"),
        (another_graph, r"model\.onnx` has \d+ bytes and was built with \d+"),
    ],
)
def test_what_would_be_read_wrongly_is_refused(
    change: Callable[[Path], None], said: str, spec: Path
) -> None:
    folder = made(spec, "there")
    open_session(folder, device="cpu")
    change(folder)
    with pytest.raises(CannotAnswer, match=said) as caught:
        open_session(folder, device="cpu")
    assert "archc verify" in caught.value.help


def test_new_numbers_in_their_old_places_are_read(spec: Path) -> None:
    """As a training run leaves them that writes the tensors of a linked checkpoint again."""
    given = checkpoint(spec)
    folder = made(spec, "there", weights=str(given), emit=("onnx",))
    before = open_session(folder, device="cpu").run({"ids": IDS})["logits"]
    changed = {name: tensor * 2 for name, tensor in load_file(given).items()}
    header = header_sha256(given)
    with given.open("r+b") as file:
        place = 8 + int.from_bytes(file.read(8), "little")
        said: dict[str, Any] = json.loads(file.read(place - 8))
        for name, tensor in changed.items():
            file.seek(place + said[name]["data_offsets"][0])
            file.write(tensor.tobytes())
    assert header_sha256(given) == header
    after = open_session(folder, device="cpu").run({"ids": IDS})["logits"]
    assert not np.allclose(before, after)


def test_a_manifest_of_a_later_version_is_not_guessed_at(spec: Path) -> None:
    folder = made(spec, "there")
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"manifest": 1', '"manifest": 2'))
    with pytest.raises(CannotAnswer, match="is of a later archc"):
        open_session(folder, device="cpu")


@pytest.mark.parametrize("text", ["", "[]", '{"manifest": 1, "files": 3, "model": {"data": "x"}}'])
def test_a_folder_without_a_manifest_says_nothing(text: str, spec: Path) -> None:
    folder = made(spec, "there")
    (folder / "manifest.json").write_text(text)
    open_session(folder, device="cpu")


def test_a_header_without_an_end_is_not_read_to_the_end(tmp_path: Path) -> None:
    """What says more than any header may have is read no further than that."""
    path = tmp_path / "broken.safetensors"
    most, size = 100_000_000, 120_000_000
    with path.open("wb") as file:
        file.write((2**63).to_bytes(8, "little"))
        file.truncate(size)
    found = header_sha256(path)
    with path.open("r+b") as file:
        file.seek(size - 1)
        file.write(b"x")
    assert header_sha256(path) == found
    with path.open("r+b") as file:
        file.seek(8 + most - 1)
        file.write(b"x")
    assert header_sha256(path) != found
