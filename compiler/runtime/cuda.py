"""Whether this machine has a graphics processor that CUDA and ONNX Runtime can use."""

import ctypes
import io
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Final, Literal, TypeAlias

from compiler.backends.onnx.versions import CUDA

Device: TypeAlias = Literal["cpu", "cuda"]
PROVIDERS: Final[Mapping[Device, str]] = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
}

INSTALL: Final = "bring CUDA's libraries by `pip install 'onnxruntime-gpu[cuda,cudnn]>=1.31'`"

FATAL, WARNING = 4, 2
"""ONNX Runtime's severities of what it logs: the highest, and the usual one."""

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


def obstacle() -> str:
    """Why ONNX Runtime cannot use a device that is here; empty where it can.

    A session would go on without its provider then. The provider needs CUDA's libraries, and where
    these are packages of Python it does not look for them: they are loaded first.
    """
    import numpy as np
    import onnxruntime

    if PROVIDERS["cuda"] not in onnxruntime.get_available_providers():
        return "it is a build for CPUs"
    if _release(onnxruntime.__version__) < CUDA:
        return f"it is {onnxruntime.__version__}, and {'.'.join(map(str, CUDA))} or newer is needed"
    missing = _load_libraries()
    onnxruntime.set_default_logger_severity(FATAL)
    try:
        onnxruntime.OrtValue.ortvalue_from_shape_and_type([1], np.float32, "cuda", 0)
    except RuntimeError as error:
        return missing or " ".join(str(error).split())
    finally:
        onnxruntime.set_default_logger_severity(WARNING)
    return ""


def has_cudnn() -> bool:
    """Whether cuDNN is found, which some kernels need: convolutions, recurrences, reductions."""
    _load_libraries()
    return _library("cudnn64_9.dll" if sys.platform == "win32" else "libcudnn.so.9") is not None


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[: len(CUDA)] if part.isdigit())


def _load_libraries() -> str:
    """Load CUDA's libraries, wherever ONNX Runtime knows them to be; says the first that is not
    found, as it prints that."""
    import onnxruntime

    load = getattr(onnxruntime, "preload_dlls", None)  # since 1.21
    said = io.StringIO()
    if load is not None:
        with redirect_stdout(said):
            load()
    failed = [line for line in said.getvalue().splitlines() if line.startswith("Failed to load")]
    return failed[0].partition(": ")[2] if failed else ""


def _driver() -> ctypes.CDLL | None:
    """The driver, started; None where there is none or it does not start."""
    driver = _library("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    return driver if driver is not None and driver.cuInit(0) == 0 else None


def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None
