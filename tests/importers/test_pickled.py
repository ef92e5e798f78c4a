import os
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.importers.samples import opened, refused


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64]
)
def test_what_torch_saved_is_read(tmp_path: Path, dtype: torch.dtype, legacy: bool) -> None:
    tensors = {"a": torch.randn(3, 4).mul(9).to(dtype), "b": torch.ones((), dtype=dtype)}
    torch.save(OrderedDict(tensors), tmp_path / "m.pt", _use_new_zipfile_serialization=not legacy)
    checkpoint = opened(tmp_path / "m.pt")
    assert list(checkpoint) == ["a", "b"]
    for name, tensor in tensors.items():
        wanted = tensor.float() if dtype is torch.bfloat16 else tensor
        assert checkpoint[name].shape == tuple(tensor.shape)
        np.testing.assert_array_equal(checkpoint[name].read(), wanted.numpy())


def test_views_and_parameters_are_read(tmp_path: Path) -> None:
    table = torch.nn.Parameter(torch.randn(4, 3))
    torch.save({"table": table, "turned": table.detach().T}, tmp_path / "m.bin")
    checkpoint = opened(tmp_path / "m.bin")
    np.testing.assert_array_equal(checkpoint["turned"].read(), table.detach().numpy().T)


@pytest.mark.parametrize("key", ["state_dict", "model_state_dict", "model"])
def test_a_trainers_file_is_unwrapped(tmp_path: Path, key: str) -> None:
    torch.save({"epoch": 3, key: {"a": torch.ones(2)}}, tmp_path / "m.pth")
    assert list(opened(tmp_path / "m.pth")) == ["a"]


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("legacy", [False, True])
def test_code_is_not_run(tmp_path: Path, legacy: bool) -> None:
    held = {"a": torch.ones(2), "x": Evil(tmp_path / "trace")}
    torch.save(held, tmp_path / "m.pt", _use_new_zipfile_serialization=not legacy)
    assert refused(tmp_path / "m.pt").code == "AR0705"
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("held", [3, [torch.ones(2)], {"epoch": 3}, {}, {"model": {"epoch": 3}}])
def test_what_is_no_state_dict(tmp_path: Path, held: Any) -> None:
    torch.save(held, tmp_path / "m.pt")
    problem = refused(tmp_path / "m.pt")
    assert problem.code == "AR0705"
    assert "state dict" in problem.message


def test_a_whole_module_is_refused(tmp_path: Path) -> None:
    torch.save(torch.nn.Linear(2, 2), tmp_path / "m.pt")
    problem = refused(tmp_path / "m.pt")
    assert problem.code == "AR0705"
    assert "state_dict()" in problem.help


@pytest.mark.parametrize("part", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("legacy", [False, True])
def test_a_truncated_file_is_damaged(tmp_path: Path, part: float, legacy: bool) -> None:
    path = tmp_path / "m.pt"
    torch.save({"a": torch.randn(500)}, path, _use_new_zipfile_serialization=not legacy)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])
    assert refused(path).code == "AR0703"


@pytest.mark.parametrize(
    "tensor",
    [
        torch.eye(3).to_sparse(),
        torch.ones(2, dtype=torch.complex64),
        torch.ones(2, device="meta"),
    ],
)
def test_types_that_are_not_supported(tmp_path: Path, tensor: torch.Tensor) -> None:
    torch.save({"a": tensor}, tmp_path / "m.pt")
    assert refused(tmp_path / "m.pt").code == "AR0706"
