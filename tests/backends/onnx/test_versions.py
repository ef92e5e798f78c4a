"""The operator set of a file is the oldest that its nodes allow, and is enough for them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from compiler.backends.onnx import emit
from compiler.backends.onnx.kernels import table
from compiler.backends.onnx.versions import IR, KERNELS, READERS, runtime
from compiler.ir.target import Target
from tests.backends.onnx.built import build, compiled, random_weights

GRAPHS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "silu": (18, {"y": {"mlp": {"hidden": 6, "act": "silu"}, "in": "x"}}),
    "linear": (18, {"y": {"linear": {"dim": 3, "act": "relu"}, "in": "x"}}),
    "mean": (18, {"y": {"pool": "mean", "in": "x"}}),
    "layer_norm": (18, {"y": {"norm": {"layer": 1e-5}, "in": "x"}}),
    "sinusoid": (18, {"y": {"positions": {"sinusoid": {"max": 9}}, "in": "x"}}),
    "gelu": (20, {"y": {"mlp": {"hidden": 6, "act": "gelu"}, "in": "x"}}),
    "rms_norm": (23, {"y": {"norm": {"rms": 1e-5}, "in": "x"}}),
    "every_pair": (23, {"y": {"attention": {"heads": 2}, "in": "x"}}),
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


OWN: Mapping[str, int] = {
    **dict.fromkeys(("linear", "mean", "layer_norm", "sinusoid", "gelu", "silu", "rms_norm"), 18),
    "every_pair": 18,
    "attention": 23,
}
"""The operator sets of the same graphs with ONNX Runtime's own operators."""


@pytest.mark.parametrize("name", GRAPHS)
def test_own_operators_need_no_newer_set(name: str, tmp_path: Path) -> None:
    spec = {"name": "small", "inputs": {"x": {"features": ["T", 4]}}, "graph": GRAPHS[name][1]}
    emitted = emit({"model": compiled(spec)}, None, tmp_path, target=Target("cpu"))
    assert (emitted.opset, emitted.ir_version) == (OWN[name], IR[OWN[name]])


@pytest.mark.parametrize(
    ("operators", "wanted"),
    [
        ([], "1.16"),
        ([("MatMul", 2), ("com.microsoft.QuickGelu", 1)], "1.16"),
        ([("Gelu", 1)], "1.18"),
        ([("com.microsoft.GroupQueryAttention", 7)], "1.18"),
        ([("com.microsoft.GroupQueryAttention", 12), ("MatMul", 2)], "1.23"),
        ([("RMSNormalization", 2), ("com.microsoft.MoE", 4)], "1.23"),
        ([("com.microsoft.GroupQueryAttention", 16)], "1.31"),
    ],
)
def test_the_first_runtime(operators: list[tuple[str, int]], wanted: str) -> None:
    assert runtime(operators, "cpu") == wanted


def test_for_cuda_it_is_the_one_that_models_are_held_against() -> None:
    assert runtime([("MatMul", 2)], "cuda") == "1.31"
    assert table().runtime.startswith("1.31.")


def test_what_is_said_of_runtimes_holds_for_the_newest() -> None:
    """Operators with inputs as many as are said to be read somewhere are read by the newest."""
    known = table()
    for operator, steps in KERNELS.items():
        schema = known.schema(operator, max(READERS))
        assert schema is not None and len(schema.inputs) >= steps[-1][0], operator
        assert known.serving("cpu", operator, schema.since), operator
    newest = tuple(int(part) for part in known.runtime.split(".")[:2])
    assert all(release <= newest for steps in KERNELS.values() for _, release in steps)


def test_file_formats_are_those_of_the_standard() -> None:
    table = {
        opset: ir
        for (domain, opset), ir in onnx.helper.OP_SET_ID_VERSION_MAP.items()
        if domain == "ai.onnx"
    }
    assert {opset: table[opset] for opset in IR} == IR
