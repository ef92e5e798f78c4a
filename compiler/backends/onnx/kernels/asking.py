"""Asks the installed ONNX Runtime for its kernels, in a process of its own."""

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from compiler.backends.onnx.kernels.stubs import write_stubs

REGISTRY = "compiler.backends.onnx.kernels.registry"


def installed() -> str:
    """The table of the runtime that is installed, as text.

    A build for GPUs dies of the question where CUDA is not installed; it is then asked again with
    stubs in CUDA's place. Raises FileNotFoundError where these cannot be made, and
    CalledProcessError where the runtime dies all the same.
    """
    done = _ask("")
    if done.returncode == 0:
        return done.stdout
    with tempfile.TemporaryDirectory() as folder:
        write_stubs(Path(folder), _libraries())
        again = _ask(folder)
    again.check_returncode()
    return again.stdout


def _ask(libraries: str) -> "subprocess.CompletedProcess[str]":
    before = os.environ.get("LD_LIBRARY_PATH", "")
    paths = os.pathsep.join(filter(None, (before, libraries)))
    python = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "LD_LIBRARY_PATH": paths, "PYTHONPATH": python}
    command = [sys.executable, "-m", REGISTRY]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def _libraries() -> Path:
    """Where the runtime's shared libraries lie."""
    found = find_spec("onnxruntime")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent / "capi"
