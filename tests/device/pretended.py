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
    """The libraries of CUDA that ONNX Runtime asks for; driver and runtime know the device."""
    write_stubs(folder, runtime_folder())
    for pattern, own in (("libcudart.so.*", "pretended.c"), ("libcuda.so.*", "driver.c")):
        (library,) = (each for each in folder.glob(pattern) if each.suffix[1:].isdigit())
        device = (HERE / own).read_text(encoding="utf-8")
        known = set(re.findall(r"^\w[^;{=]*?\b(\w+)\(", device, re.MULTILINE))
        stubs = (folder / f"{library.name}.c").read_text(encoding="utf-8").splitlines()
        others = [line for line in stubs if line.split()[1].partition("(")[0] not in known]
        source = folder / own
        source.write_text("\n".join((device, *others)), encoding="utf-8")
        versions = folder / f"{library.name}.map"
        script = f",--version-script,{versions}" if versions.read_text(encoding="utf-8") else ""
        options = ["-shared", "-w", "-fno-builtin", f"-Wl,-soname,{library.name}{script}"]
        subprocess.run(["gcc", *options, "-o", str(library), str(source)], check=True)


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
