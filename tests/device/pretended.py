"""A device that is not there: libraries in CUDA's place with which ONNX Runtime's provider starts.

It places every node, builds every kernel, copies and counts launches as on a real device; kernels
compute nothing. What needs numbers needs a real one, and tests that are marked `gpu`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest

from compiler.backends.onnx.kernels.stubs import write_stubs

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
DEVICE: Final = HERE / "pretended.c"


def runtime_folder() -> Path:
    """Where the shared libraries of the runtime lie."""
    found = find_spec("onnxruntime")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent / "capi"


can_pretend = pytest.mark.skipif(
    shutil.which("gcc") is None
    or not (runtime_folder() / "libonnxruntime_providers_cuda.so").is_file(),
    reason="a device is pretended with gcc and the GPU build of ONNX Runtime",
)


def write_libraries(folder: Path) -> None:
    """The libraries of CUDA that ONNX Runtime asks for; those of its runtime know the device."""
    write_stubs(folder, runtime_folder())
    device = DEVICE.read_text(encoding="utf-8")
    known = set(re.findall(r"\b(cuda\w+)\(", device))
    (library,) = (each for each in folder.glob("libcudart.so.*") if each.suffix[1:].isdigit())
    stubs = (folder / f"{library.name}.c").read_text(encoding="utf-8").splitlines()
    others = [line for line in stubs if line.split()[1].partition("(")[0] not in known]
    source = folder / "cudart.c"
    source.write_text("\n".join((device, *others)), encoding="utf-8")
    versions = f"-Wl,-soname,{library.name},--version-script,{folder}/{library.name}.map"
    command = ["gcc", "-shared", "-w", "-fno-builtin", versions, "-o", str(library), str(source)]
    subprocess.run(command, check=True)


def ask(libraries: Path, module: str, question: Any) -> Any:
    """What `python -m module` answers on stdout to a question on stdin, beside the device."""
    found = os.pathsep.join(filter(None, (str(libraries), os.environ.get("LD_LIBRARY_PATH", ""))))
    done = subprocess.run(
        [sys.executable, "-m", module],
        input=json.dumps(question),
        env={**os.environ, "LD_LIBRARY_PATH": found, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)
