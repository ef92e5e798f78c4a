"""A library that needs another one loads with a stub in its place."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.backends.onnx.kernels.stubs import write_stubs

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None, reason="stubs are compiled for Linux"
)


def test_a_provider_loads_with_stubs(tmp_path: Path) -> None:
    built, stubs = tmp_path / "built", tmp_path / "stubs"
    built.mkdir()
    stubs.mkdir()
    provider = _provider(built)
    with pytest.raises(OSError, match=r"libcuthing\.so\.7"):
        ctypes.CDLL(str(provider))
    write_stubs(stubs, built)
    code = f"import ctypes; print(ctypes.CDLL({str(provider)!r}).answer())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"LD_LIBRARY_PATH": str(stubs)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("5\n", "")


def _provider(folder: Path) -> Path:
    """A library that calls `thing` of a library that is gone."""
    gone, map_ = folder / "libcuthing.so.7", folder / "thing.map"
    map_.write_text("libcuthing.so.7 { thing; };\n")
    (folder / "gone.c").write_text("int thing(void) { return 9; }\n")
    (folder / "provider.c").write_text(
        "int thing(void); int answer(void) { return 5 + thing(); }\n"
    )
    provider = folder / "libonnxruntime_providers_cuda.so"
    versioned = (f"-Wl,-soname,{gone.name}", f"-Wl,--version-script,{map_}")
    _compile(gone, folder / "gone.c", *versioned)
    _compile(provider, folder / "provider.c", str(gone))
    gone.unlink()
    return provider


def _compile(made: Path, *source: str | Path) -> None:
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", made, *source], check=True)
