import os
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch

from tests.importers.samples import Array, counted, opened, refused


@pytest.mark.parametrize(
    "kind", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
)
def test_every_type_reads_as_the_library_wrote_it(tmp_path: Path, kind: str) -> None:
    tensors = {
        "a": counted(3, 4).astype(kind),
        "odd": counted(5).astype(kind),
        "none": counted(0, 2).astype(kind),
    }
    save_file({**tensors, "point": np.asarray(3, kind)}, tmp_path / "m.safetensors")
    checkpoint = opened(tmp_path / "m.safetensors")
    for name, tensor in {**tensors, "point": np.asarray(3, kind)}.items():
        assert checkpoint[name].shape == tensor.shape
        ours = checkpoint[name].read()
        assert ours.dtype == tensor.dtype
        np.testing.assert_array_equal(ours, tensor)


def test_bfloat16_reads_as_torch_widens_it(tmp_path: Path) -> None:
    tensor = torch.randn(7, 5).to(torch.bfloat16)
    save_torch({"a": tensor}, tmp_path / "m.safetensors")
    lazy = opened(tmp_path / "m.safetensors")["a"]
    assert lazy.dtype == "BF16"
    np.testing.assert_array_equal(lazy.read(), tensor.float().numpy())
    np.testing.assert_array_equal(lazy.load(), tensor.view(torch.uint16).numpy())


def test_a_file_with_another_name_is_told_by_its_content(tmp_path: Path) -> None:
    save_file({"a": counted(2)}, tmp_path / "weights")
    assert list(opened(tmp_path / "weights")) == ["a"]


def test_a_folder_with_one_file(tmp_path: Path) -> None:
    save_file({"a": counted(2)}, tmp_path / "model.safetensors")
    torch.save({"b": torch.zeros(2)}, tmp_path / "pytorch_model.bin")
    (tmp_path / "config.json").write_text("{}")
    assert list(opened(tmp_path)) == ["a"]


def damaged(path: Path) -> None:
    save_file({"a": counted(100)}, path)
    path.write_bytes(path.read_bytes()[:-100])


FOREIGN: dict[str, bytes] = {
    "empty": b"",
    "Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n",
    "GGUF": b"GGUF\3\0\0\0" + bytes(100),
    "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(100),
    "text file": b"archspec: 1\nname: gpt2\n" * 10,
    "not a weights file": bytes(range(200, 256)) * 4,
}


@pytest.mark.parametrize(("said", "content"), FOREIGN.items(), ids=FOREIGN)
def test_a_foreign_file_is_named_for_what_it_is(tmp_path: Path, said: str, content: bytes) -> None:
    (tmp_path / "model.bin").write_bytes(content)
    problem = refused(tmp_path / "model.bin")
    assert problem.code == "AR0702"
    assert said in problem.message


def test_npz_is_foreign(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=counted(2))
    problem = refused(tmp_path / "a.npz")
    assert problem.code == "AR0702"
    assert "zip" in problem.message


def test_a_truncated_file_is_damaged(tmp_path: Path) -> None:
    damaged(tmp_path / "m.safetensors")
    problem = refused(tmp_path / "m.safetensors")
    assert problem.code == "AR0703"
    assert problem.primary.span.file == str(tmp_path / "m.safetensors")


def test_a_folder_with_a_damaged_file_points_at_the_file(tmp_path: Path) -> None:
    damaged(tmp_path / "m.safetensors")
    assert refused(tmp_path).primary.span.file == str(tmp_path / "m.safetensors")


def test_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("absent", "loop", "empty", "pipe"):
        assert refused(tmp_path / name).code == "AR0701"


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    save_file({"a": counted(2)}, tmp_path / "blob")
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot" / "model.safetensors").symlink_to(tmp_path / "blob")
    assert list(opened(tmp_path / "snapshot")) == ["a"]


def test_several_files_without_an_index_are_not_guessed(tmp_path: Path) -> None:
    for name in ("a.safetensors", "b.safetensors"):
        save_file({"a": counted(2)}, tmp_path / name)
    problem = refused(tmp_path)
    assert problem.code == "AR0704"
    assert "`a.safetensors`, `b.safetensors`" in problem.help


def test_opening_reads_no_numbers(tmp_path: Path) -> None:
    save_file({"a": counted(4)}, tmp_path / "m.safetensors")
    checkpoint = opened(tmp_path / "m.safetensors")
    content = bytearray((tmp_path / "m.safetensors").read_bytes())
    content[-16:] = (counted(4) + 5).tobytes()
    (tmp_path / "m.safetensors").write_bytes(content)
    read: Array = checkpoint["a"].read()
    assert read.tolist() == [5, 6, 7, 8]
