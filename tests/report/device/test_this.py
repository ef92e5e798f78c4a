"""This machine, measured: figures that a machine can have."""

import os
import time

import pytest
import torch

from compiler.answer import CannotAnswer
from compiler.report.device.device import GIB
from compiler.report.device.runtime_products import product
from compiler.report.device.this import best, this_machine


def test_it_is_measured_and_says_so() -> None:
    found = this_machine()
    assert found.measured
    assert set(found.rates) == {"fp32", "bf16", "fp16"}
    assert all(10**7 < rate < 10**16 for rate in found.rates.values())
    assert 10**7 < found.bandwidth < 10**14
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert found.memory > GIB // 4
    assert "threads" not in found.title or found.memory <= pages
    assert "measured by torch" in found.source


def test_a_gpu_that_is_meant_is_never_replaced_by_a_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(CannotAnswer, match="a GPU that torch cannot measure"):
        this_machine(1, "cuda")


def test_a_processor_that_is_meant_is_measured_beside_a_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr("compiler.report.device.this.LARGEST", 512)
    assert "1 threads" in this_machine(1, "cpu").title


@pytest.mark.parametrize("slow", ["torch", "ONNX Runtime"])
def test_the_faster_of_two_says_what_a_processor_reaches(
    slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one of them takes a tenth of a second or more, it does not count."""

    def late(*_: object) -> None:
        time.sleep(0.1)

    if slow == "torch":
        monkeypatch.setattr(torch.Tensor, "__matmul__", late)
    else:
        monkeypatch.setattr("compiler.report.device.this.product", lambda *_, **__: late)
    assert this_machine(1, "cpu").rates["fp32"] > 2 * 512**3 / 0.1


@pytest.mark.parametrize("rows", [None, 1])
def test_onnx_runtime_multiplies_halves(rows: int | None) -> None:
    (made,) = product(64, 2, rows=rows)()
    assert made.shape == (rows or 64, 64)
    assert (made == 64 / 4).all()


class Clock:
    """A clock that only runs while something runs."""

    def __init__(self, durations: list[float]) -> None:
        self.durations = iter(durations)
        self.runs, self.now = 0, 0.0

    def run(self) -> None:
        self.now += next(self.durations)
        self.runs += 1


@pytest.mark.parametrize(
    ("durations", "runs", "shortest"),
    [([0.02, 0.001, 0.01, 0.01, 0.0005], 4, 0.001), ([0.15, 0.14, 0.01], 2, 0.14)],
)
def test_the_shortest_of_some_runs_counts(
    durations: list[float], runs: int, shortest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(durations)
    monkeypatch.setattr("compiler.report.device.this.time.perf_counter", lambda: clock.now)
    assert best(clock.run) == pytest.approx(shortest)
    assert clock.runs == runs
