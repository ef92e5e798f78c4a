"""Files of every target pass ONNX's own check and load into the runtime without a word."""

import subprocess
import sys
from pathlib import Path

import onnx
import pytest

from compiler.backends.onnx import DATA, emit
from compiler.ir.target import Target
from tests.backends.onnx.built import lazy, random_weights
from tests.generated.samples import small

SPECS = (
    "decoder/gpt2",
    "decoder/llama3-8b",
    "decoder/mixtral-8x7b",
    "encoder/bert-base",
    "encoder-decoder/whisper-tiny",
    "history/02-bahdanau-final",
    "vision/vit-b16-cls",
)
PORTABLE, CPU, CUDA = Target(), Target("cpu"), Target("cuda")
LOAD = """
import sys
import onnxruntime
for path in sys.argv[1:]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 2
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
"""


@pytest.mark.parametrize("target", [PORTABLE, CPU, CUDA], ids=lambda each: each.provider)
@pytest.mark.parametrize("name", SPECS)
def test_onnx_has_nothing_to_object_to(name: str, target: Target, tmp_path: Path) -> None:
    program = small(f"specs/{name}.yaml").whole
    emit(
        {"model": program},
        {n: lazy(a) for n, a in random_weights(program).items()},
        tmp_path,
        target=target,
    )
    model = onnx.load(tmp_path / "model.onnx", load_external_data=False)
    for node in model.graph.node:
        if node.op_type == "SimplifiedLayerNormalization":
            node.domain = "com.microsoft"  # ONNX Runtime has it in ONNX's own domain, ONNX does not
    if DATA in {path.name for path in tmp_path.iterdir()}:
        onnx.load_external_data_for_model(model, str(tmp_path))
    domains = {each.domain for each in model.opset_import}
    if any(node.domain for node in model.graph.node) and "com.microsoft" not in domains:
        model.opset_import.add(domain="com.microsoft", version=1)
    onnx.checker.check_model(model, full_check=True)
    assert target != PORTABLE or domains == {""}


def test_the_runtime_has_nothing_to_warn_of(tmp_path: Path) -> None:
    paths = []
    for name in SPECS:
        program = small(f"specs/{name}.yaml").whole
        sources = {n: lazy(a) for n, a in random_weights(program).items()}
        for target in (PORTABLE, CPU):
            folder = tmp_path / name / target.provider
            folder.mkdir(parents=True)
            emit({"model": program}, sources, folder, target=target)
            paths.append(str(folder / "model.onnx"))
    command = [sys.executable, "-c", LOAD, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
