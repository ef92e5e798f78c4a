"""Weights appear in a folder once they are whole, whatever stops their writing."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from compiler.answer import CannotAnswer
from compiler.importers.lazy import Lazy
from compiler.importers.sharding import INDEX, sharded
from compiler.pipeline.publish import publish
from tests.importers.samples import Array, counted, held, opened, refused

TENSORS = {"a": counted(3, 4), "b": counted(5), "c": counted(2, 2)}


def silent(bytes_: int) -> None:
    """A progress that nobody sees."""


def put(folder: Path, most: int = 1 << 30) -> tuple[str, ...]:
    return publish(folder, sharded(held(TENSORS), most), silent)


def test_one_file_beside_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert put(tmp_path) == ("model.safetensors",)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
    for name, array in load_file(tmp_path / "model.safetensors").items():
        np.testing.assert_array_equal(array, TENSORS[name])


def test_shards_are_read_through_their_index(tmp_path: Path) -> None:
    files = put(tmp_path / "new" / "folder", most=48)
    assert files == (*(f"model-0000{n}-of-00002.safetensors" for n in (1, 2)), INDEX)
    folder = tmp_path / "new" / "folder"
    assert sorted(each.name for each in folder.iterdir()) == sorted(files)
    assert json.loads((folder / INDEX).read_text())["metadata"] == {"total_size": 84}
    for name, tensor in opened(folder).items():
        np.testing.assert_array_equal(tensor.read(), TENSORS[name])


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", INDEX])
def test_weights_are_never_written_over(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("precious")
    with pytest.raises(CannotAnswer, match="holds weights already"):
        put(tmp_path)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [(name, "precious")]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failure_midway_leaves_nothing(number: int, tmp_path: Path) -> None:
    def fail() -> Array:
        raise OSError(number, os.strerror(number))

    tensors = {**held(TENSORS), "z": Lazy((4,), "F32", fail)}
    wanted = CannotAnswer if number == errno.ENOSPC else OSError
    with pytest.raises(wanted):
        publish(tmp_path / "new", sharded(tensors, 48), silent)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(CannotAnswer, match="cannot write"):
        put(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


KILLED = """
import os, signal, sys
from pathlib import Path
from compiler.importers.lazy import Lazy
from compiler.importers.sharding import sharded
from compiler.pipeline.publish import publish
from tests.importers.samples import counted, held

def die():
    os.kill(os.getpid(), signal.SIGKILL)

tensors = {**held({"a": counted(30), "b": counted(50)}), "c": Lazy((9,), "F32", die)}
publish(Path(sys.argv[1]), sharded(tensors, 200), lambda piece: None)
"""


def test_a_killed_export_leaves_no_weights_and_the_next_one_works(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert any(tmp_path.iterdir()), "nothing was written before"
    assert refused(tmp_path).code == "AR0701"
    put(tmp_path)
    assert set(opened(tmp_path)) == set(TENSORS)
