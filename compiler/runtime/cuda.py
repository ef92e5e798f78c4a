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


def has_cuda_device() -> bool:
    """Whether the driver is there and finds a device; asked of the driver itself, without torch."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return False
    count = ctypes.c_int()
    started = driver.cuInit(0) == 0
    return started and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
