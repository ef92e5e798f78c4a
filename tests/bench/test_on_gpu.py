"""The ruler on a GPU: every contestant is asked once, on a CPU, and on a device where one is."""

from pathlib import Path

import pytest

from compiler.runtime.bench.job import Job
from compiler.runtime.cuda import has_cuda_device
from tests.bench import on_gpu
from tests.bench.shapes import Size, size
from tests.device.on_gpu import on_gpu as needs_gpu

SMALL = Size({**size(64, 1, (2, 1), 64), "vocab": 50})
EFFORT = Job("", 1, 4, 2, 1, 1)


def timed(folder: Path, place: str) -> str:
    who = on_gpu.contestants(folder, SMALL, EFFORT, place)
    return on_gpu.shown({name: [run()] for name, run in who.items()})


def test_every_contestant_is_timed(tmp_path: Path) -> None:
    lines = timed(tmp_path, "cpu").splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["archc", "torch SDPA"]
    assert lines[2].split("|")[-3:-1] == ["          1.00 ", "       1.00 "]


@needs_gpu
def test_they_run_on_a_device(tmp_path: Path) -> None:
    assert "steps not captured" in timed(tmp_path, "cuda")


@pytest.mark.skipif(has_cuda_device(), reason="a CUDA device is here")
def test_without_a_device_nothing_is_timed(capsys: pytest.CaptureFixture[str]) -> None:
    assert on_gpu.main([]) == 2
    assert "no CUDA device" in capsys.readouterr().err
