import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.numpy import save_file

from compiler.importers.checkpoint import open_checkpoint
from tests.importers.samples import counted, opened, refused


def sharded(folder: Path, **changes: Any) -> Path:
    """Three tensors in two shards, and an index with `changes`."""
    save_file({"a": counted(2), "b": counted(3)}, folder / "m-1.safetensors")
    save_file({"c": counted(4)}, folder / "m-2.safetensors")
    places: dict[str, Any] = {
        "a": "m-1.safetensors",
        "b": "m-1.safetensors",
        "c": "m-2.safetensors",
    }
    index = {"metadata": {}, "weight_map": {k: v for k, v in {**places, **changes}.items() if v}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def test_shards_are_one_checkpoint(tmp_path: Path) -> None:
    checkpoint = opened(sharded(tmp_path))
    assert {name: lazy.shape for name, lazy in checkpoint.items()} == {
        "a": (2,),
        "b": (3,),
        "c": (4,),
    }
    assert checkpoint["c"].read().tolist() == [0, 1, 2, 3]


def test_torch_shards(tmp_path: Path) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "pytorch_model-1.bin")
    torch.save({"b": torch.ones(3)}, tmp_path / "pytorch_model-2.bin")
    places = {"a": "pytorch_model-1.bin", "b": "pytorch_model-2.bin"}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": places}))
    assert set(opened(tmp_path)) == {"a", "b"}


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    sharded(tmp_path)
    (tmp_path / "m-2.safetensors").unlink()
    problem = refused(tmp_path)
    assert problem.code == "AR0704"
    assert "`m-2.safetensors` is missing" in problem.message


def test_all_missing_shards_are_said(tmp_path: Path) -> None:
    sharded(tmp_path)
    (tmp_path / "m-1.safetensors").unlink()
    (tmp_path / "m-2.safetensors").unlink()
    found = open_checkpoint(tmp_path)
    assert isinstance(found, tuple)
    assert [problem.code for problem in found] == ["AR0704", "AR0704"]


@pytest.mark.parametrize(("changes", "name"), [({"b": None}, "b"), ({"x": "m-2.safetensors"}, "x")])
def test_index_and_shards_agree_or_the_difference_is_said(
    tmp_path: Path, changes: dict[str, Any], name: str
) -> None:
    problem = refused(sharded(tmp_path, **changes))
    assert problem.code == "AR0704"
    assert f"`{name}`" in problem.help


PLACES = ["../m.safetensors", "/etc/passwd", "..", "a/b", 3, ["m"], "a\0b", "\ud800"]


@pytest.mark.parametrize("place", PLACES)
def test_an_index_names_files_of_its_own_folder(tmp_path: Path, place: Any) -> None:
    problem = refused(sharded(tmp_path, x=place))
    assert problem.code == "AR0703"


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "{}", '{"weight_map": []}', '{"weight_map": {}}', "[" * 10**5]
)
def test_a_damaged_index(tmp_path: Path, text: str) -> None:
    sharded(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text(text)
    assert refused(tmp_path).code == "AR0703"


def test_a_damaged_shard_is_pointed_at(tmp_path: Path) -> None:
    sharded(tmp_path)
    shard = tmp_path / "m-2.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1])
    problem = refused(tmp_path)
    assert (problem.code, problem.primary.span.file) == ("AR0703", str(shard))


def test_what_trainers_leave_beside_the_weights_is_passed_over(tmp_path: Path) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "pytorch_model.bin")
    for name in ("training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state_0.pth"):
        (tmp_path / name).write_bytes(b"\x80 anything")
    assert list(opened(tmp_path)) == ["a"]
