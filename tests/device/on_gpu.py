"""The mark of tests that need a real device."""

from collections.abc import Callable
from typing import Any

import pytest

from compiler.runtime.cuda import has_cuda_device


def on_gpu(test: Callable[..., Any]) -> Callable[..., Any]:
    """Run a test where there is a CUDA device, else skip it and say so."""
    skips = pytest.mark.skipif(not has_cuda_device(), reason="no CUDA device is here")
    marked: Callable[..., Any] = pytest.mark.gpu(skips(test))
    return marked
