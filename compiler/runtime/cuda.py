"""Whether this machine has a graphics processor that CUDA can use."""

import ctypes
import sys
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Device: TypeAlias = Literal["cpu", "cuda"]
PROVIDERS: Final[Mapping[Device, str]] = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
}

MAJOR, MINOR = 75, 76
"""`CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`."""


def has_cuda_device() -> bool:
    """Whether the driver is there and finds a device; asked of the driver itself, without torch."""
    driver = _driver()
    if driver is None:
        return False
    count = ctypes.c_int()
    return driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def compute_capability() -> tuple[int, int] | None:
    """How new the first device is, such as (9, 0); None where there is none that says it."""
    driver = _driver()
    numbers = ctypes.c_int(), ctypes.c_int()
    if driver is None or any(
        driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, 0) != 0
        for number, attribute in zip(numbers, (MAJOR, MINOR), strict=True)
    ):
        return None
    return numbers[0].value, numbers[1].value


def _driver() -> ctypes.CDLL | None:
    """The driver, started; None where there is none or it does not start."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None
