"""The same spec gives the same bytes in any folder, process and hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.conftest import FAMILIES, small_spec

ROOT = Path(__file__).parents[2]


def built(folder: Path, seed: str, *order: str) -> dict[str, bytes]:
    """Every file that building the specs in a fresh process writes, by name."""
    for family in FAMILIES:
        small_spec(family, folder)
    done = subprocess.run(
        [sys.executable, "-m", "compiler.cli", "build", *order],
        cwd=folder,
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for root in ("generated", "build")
        for path in sorted((folder / root).rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
def test_two_folders_two_hash_seeds_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "elsewhere" / "b").mkdir(parents=True)
    one = built(tmp_path / "a", "0", "specs")
    two = built(
        tmp_path / "elsewhere" / "b", "1", *(f"specs/{f}/tiny.yaml" for f in FAMILIES[::-1])
    )
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []
    written = sorted(name.rpartition("/")[2] for name in one if name.endswith(".onnx"))
    assert written == ["decoder.onnx", "encoder.onnx", *["model.onnx"] * (len(FAMILIES) - 1)]
    assert not any(str(tmp_path).encode() in content for content in one.values())
