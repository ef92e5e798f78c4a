"""Whether there is a device is asked of the driver, and every answer of a driver is understood; of
ONNX Runtime whether it can use one."""

import ctypes
from dataclasses import dataclass
from typing import Any

import pytest

from compiler.runtime.cuda import compute_capability, has_cuda_device, obstacle

NO_DEVICE = 100
"""CUDA_ERROR_NO_DEVICE."""


@dataclass
class Driver:
    """A driver that starts with `status` and counts `devices`."""

    status: int
    devices: int
    capability: tuple[int, int] = (0, 0)

    def cuInit(self, flags: int) -> int:
        assert flags == 0
        return self.status

    def cuDeviceGetCount(self, pointer: Any) -> int:
        pointer._obj.value = self.devices
        return self.status

    def cuDeviceGetAttribute(self, pointer: Any, attribute: int, device: int) -> int:
        assert device == 0
        pointer._obj.value = self.capability[attribute - 75]
        return self.status


@pytest.mark.parametrize(
    ("driver", "there"),
    [(Driver(0, 2), True), (Driver(0, 0), False), (Driver(NO_DEVICE, 0), False)],
)
def test_a_driver_says_whether_there_is_a_device(
    driver: Driver, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: driver)
    assert has_cuda_device() is there


def test_without_a_driver_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert has_cuda_device() is False
    assert compute_capability() is None


@pytest.mark.parametrize(
    ("driver", "found"), [(Driver(0, 1, (7, 5)), (7, 5)), (Driver(NO_DEVICE, 0), None)]
)
def test_a_device_says_how_new_it_is(
    driver: Driver, found: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: driver)
    assert compute_capability() == found


def test_a_build_for_cpus_cannot_use_one(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    assert obstacle() == "it is a build for CPUs"


def test_an_older_runtime_is_not_trusted_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of its kernels compute something else and say nothing."""
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider"])
    for version, old in (("1.30.2", True), ("1.9.0", True), ("1.31.0", False), ("2.0.dev1", False)):
        monkeypatch.setattr(onnxruntime, "__version__", version)
        assert (obstacle() == f"it is {version}, and 1.31 or newer is needed") == old


@pytest.mark.skipif(has_cuda_device(), reason="a CUDA device is here, and with it its libraries")
def test_what_is_missing_is_said_and_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """The runtime prints and logs it."""
    found = obstacle()
    assert "lib" in found or found == "it is a build for CPUs"
    assert capfd.readouterr() == ("", "")
