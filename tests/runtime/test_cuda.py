"""Whether there is a device is asked of the driver, and every answer of a driver is understood."""

import ctypes
from dataclasses import dataclass
from typing import Any

import pytest

from compiler.runtime.cuda import has_cuda_device

NO_DEVICE = 100
"""CUDA_ERROR_NO_DEVICE."""


@dataclass
class Driver:
    """A driver that starts with `status` and counts `devices`."""

    status: int
    devices: int

    def cuInit(self, flags: int) -> int:
        assert flags == 0
        return self.status

    def cuDeviceGetCount(self, pointer: Any) -> int:
        pointer._obj.value = self.devices
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
