"""The operator set of a file is the oldest that its nodes allow, and is enough for them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from compiler.backends.onnx.versions import IR
from tests.backends.onnx.built import build, compiled, random_weights

GRAPHS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "linear": (18, {"y": {"linear": {"dim": 3, "act": "relu"}, "in": "x"}}),
    "mean": (18, {"y": {"pool": "mean", "in": "x"}}),
    "layer_norm": (18, {"y": {"norm": {"layer": 1e-5}, "in": "x"}}),
    "sinusoid": (18, {"y": {"positions": {"sinusoid": {"max": 9}}, "in": "x"}}),
    "gelu": (20, {"y": {"mlp": {"hidden": 6, "act": "gelu"}, "in": "x"}}),
    "rms_norm": (23, {"y": {"norm": {"rms": 1e-5}, "in": "x"}}),
    "attention": (23, {"y": {"attention": {"heads": 2, "rope": {}}, "in": "x"}}),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_the_oldest_operator_set_that_serves(name: str, tmp_path: Path) -> None:
    wanted, graph = GRAPHS[name]
    spec = {"name": "small", "inputs": {"x": {"features": ["T", 4]}}, "graph": graph}
    program = compiled(spec)
    built = build(program, random_weights(program), tmp_path)
    assert (built.emitted.opset, built.emitted.ir_version) == (wanted, IR[wanted])
    model = onnx.load(str(tmp_path / "model.onnx"))
    assert [(entry.domain, entry.version) for entry in model.opset_import] == [("", wanted)]
    onnx.checker.check_model(model, full_check=True)
    (found,) = built.run(x=np.ones((2, 5, 4), "f4")).values()
    assert np.isfinite(found).all()


def test_file_formats_are_those_of_the_standard() -> None:
    table = {
        opset: ir
        for (domain, opset), ir in onnx.helper.OP_SET_ID_VERSION_MAP.items()
        if domain == "ai.onnx"
    }
    assert {opset: table[opset] for opset in IR} == IR
