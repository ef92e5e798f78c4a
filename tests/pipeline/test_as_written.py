"""A built folder against its manifest."""

import json
from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.ir.target import Target
from compiler.pipeline import intact, is_built
from tests.pipeline.held import checkpoint, made, spec

__all__ = ["spec"]


def test_every_file_is_looked_at(spec: Path) -> None:
    folder = made(spec, "there", Target())
    assert is_built(folder) and not is_built(folder.parent) and not is_built(spec)
    names = sorted(each.name for each in folder.iterdir() if each.name != "manifest.json")
    found = intact(folder)
    assert [check.name for check in found.checks] == names
    assert found.ok and f"{len(names)} of {len(names)} hold" in found.text()
    data = folder / "model.onnx.data"
    octets = bytearray(data.read_bytes())
    octets[len(octets) // 2] ^= 1
    data.write_bytes(octets)
    (folder / "model.py").unlink()
    said = {check.name: check.reason for check in intact(folder).checks if not check.ok}
    assert said == {"model.onnx.data": "differs from what was written", "model.py": "is missing"}


def test_of_a_linked_file_its_length_and_header_are_known(spec: Path) -> None:
    given = checkpoint(spec)
    folder = made(spec, "there", weights=str(given), emit=("onnx",))
    (check,) = (each for each in intact(folder).checks if each.name == given.name)
    assert (check.ok, check.reason) == (True, "linked: its length and header")
    octets = bytearray(given.read_bytes())
    octets[-1] ^= 1  # what training writes over it is read
    given.write_bytes(octets)
    assert intact(folder).ok
    octets[9] ^= 1
    given.write_bytes(octets)
    (check,) = (each for each in intact(folder).checks if not each.ok)
    assert check.reason == "has its tensors at other places than when it was linked"


@pytest.mark.parametrize("text", ["", "{}", json.dumps({"manifest": 2})])
def test_nothing_else_says_what_was_written(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(CannotAnswer, match="cannot be read"):
        intact(tmp_path)
