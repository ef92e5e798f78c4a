"""Models in 16 bits: every node's types fit, and where the CPU can run them the numbers agree."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from compiler.backends.onnx import MODEL, emit
from compiler.backends.onnx.listing import Element
from compiler.backends.onnx.words import words_of
from compiler.ir.target import Target
from compiler.runtime.opening import open_session
from tests.backends.onnx.built import compiled, lazy, random_weights

ENCODER: dict[str, Any] = {
    "name": "half",
    "inputs": {"x": {"features": ["T", 24]}},
    "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True},
    "graph": {
        "up": {"linear": {"dim": 64}, "in": "x"},
        "h": {
            "stack": {
                "repeat": 2,
                "layer": {
                    "attn": {"attention": {"heads": 4, "rope": {"theta": 10000}}},
                    "mlp": {"mlp": {"hidden": 96, "act": "silu", "gated": True}},
                },
            }
        },
        "y": {"linear": {"dim": 8}},
    },
}


def model_of(folder: Path, precision: Any) -> onnx.ModelProto:
    program = compiled(ENCODER)
    weights = {name: lazy(array) for name, array in random_weights(program).items()}
    emit({"model": program}, weights, folder, target=Target("cuda", precision))
    return onnx.load(str(folder / MODEL))


def test_sixteen_bits_agree_with_thirty_two(tmp_path: Path) -> None:
    """Long enough that positions would no longer be whole numbers of 16 bits."""
    for name in ("fp32", "fp16"):
        (tmp_path / name).mkdir()
        model_of(tmp_path / name, name)
    x = np.random.default_rng(0).normal(size=(1, 2100, 24)).astype("f4")
    wanted, found = (
        open_session(tmp_path / name, threads=1, device="cpu").run({"x": x})["y"]
        for name in ("fp32", "fp16")
    )
    assert found.dtype == np.float32
    assert np.linalg.norm(found - wanted) < 0.01 * np.linalg.norm(wanted)


def test_what_keeps_a_divisor_from_zero_does_not_become_zero(tmp_path: Path) -> None:
    """1e-12, as 16 bits of float16 none: a vector of zeros has no direction and stays one."""
    spec = ENCODER | {"graph": {"y": {"norm": "l2", "in": "x"}}}
    emit({"model": compiled(spec)}, {}, tmp_path, target=Target("cuda", "fp16"))
    x = np.zeros((1, 2, 24), "f4")
    x[0, 1, 0] = 3
    found = open_session(tmp_path, threads=1, device="cpu").run({"x": x})["y"]
    assert np.array_equal(found, x / 3)


@pytest.mark.parametrize(
    ("precision", "kind"), [("fp16", onnx.TensorProto.FLOAT16), ("bf16", onnx.TensorProto.BFLOAT16)]
)
def test_weights_are_stored_in_it_and_callers_see_float32(
    tmp_path: Path, precision: str, kind: int
) -> None:
    model = model_of(tmp_path, precision)
    weights = [t for t in model.graph.initializer if t.name.endswith(("weight", "bias"))]
    assert weights and {tensor.data_type for tensor in weights} == {kind}
    ends = (*model.graph.input, *model.graph.output)
    assert {end.type.tensor_type.elem_type for end in ends} == {onnx.TensorProto.FLOAT}
    angles = [node for node in model.graph.node if node.op_type in ("Cos", "Sin")]
    casts = {node.input[0] for node in model.graph.node if node.op_type == "Cast"}
    assert angles and all(node.output[0] in casts for node in angles)


def test_bfloat16_rounds_to_the_nearest_and_ties_to_even() -> None:
    torch = pytest.importorskip("torch")
    found = np.random.default_rng(0).normal(size=4096).astype("f4")
    ties = (np.arange(64, dtype=np.uint32) << 16 | 0x3F808000).view("f4")
    every = np.concatenate([found, ties])
    wanted = torch.from_numpy(every).bfloat16().view(torch.int16).numpy().view("u2")
    assert np.array_equal(words_of(every, Element.bfloat16), wanted)


def test_the_runtime_takes_the_types_of_every_node_in_bfloat16(tmp_path: Path) -> None:
    """A CPU has no kernels for it, so the runtime gets as far as looking for the first one."""
    model_of(tmp_path, "bf16")
    with pytest.raises(Exception, match="NOT_IMPLEMENTED"):
        onnxruntime.InferenceSession(tmp_path / MODEL, providers=["CPUExecutionProvider"])
