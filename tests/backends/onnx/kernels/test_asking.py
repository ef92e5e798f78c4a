"""The table in the repository is what the installed runtime says of itself."""

import json
import shutil
from importlib.metadata import distributions

import pytest

from compiler.backends.onnx.kernels import kept_versions
from compiler.backends.onnx.kernels.asking import installed
from compiler.backends.onnx.kernels.table import FOLDER


def builds() -> list[str]:
    """The builds of the runtime that are installed."""
    names = {each.metadata["Name"].lower() for each in distributions()}
    return sorted(names & {"onnxruntime", "onnxruntime-gpu"})


@pytest.mark.skipif(
    builds() == ["onnxruntime-gpu"] and shutil.which("gcc") is None,
    reason="the GPU build answers only where CUDA or a C compiler is",
)
def test_the_table_is_what_the_runtime_says() -> None:
    found = json.loads(installed())
    assert found["runtime"] in kept_versions(), "run `python -m compiler.backends.onnx.kernels`"
    kept = json.loads((FOLDER / f"{found['runtime']}.json").read_text(encoding="utf-8"))
    parts = ["schemas", "cpu", *(["cuda"] if "onnxruntime-gpu" in builds() else [])]
    for part in parts:
        differing = [n for n in kept[part] | found[part] if kept[part].get(n) != found[part].get(n)]
        assert not differing, f"{part}: run `python -m compiler.backends.onnx.kernels`"
