"""ONNX models that archc did not write: any numbers are taken, what is none is said."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from compiler.answer import CannotAnswer
from compiler.runtime.opening import open_session


def written(path: Path, kind: int, shape: list[Any], name: str = "x", opset: int = 17) -> Path:
    """A model that gives what it takes."""
    node = helper.make_node("Identity", [name], ["y"])
    value = helper.make_tensor_value_info
    graph = helper.make_graph([node], "g", [value(name, kind, shape)], [value("y", kind, shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("kind", ["double", "int8", "uint8", "uint32"])
@pytest.mark.parametrize("shape", [["N", "T"], [None, None]])
def test_numbers_of_any_kind_go_through(kind: str, shape: list[Any], tmp_path: Path) -> None:
    number = getattr(TensorProto, kind.upper())
    session = open_session(written(tmp_path / "m.onnx", number, shape), device="cpu")
    given = np.arange(6, dtype=kind).reshape(2, 3)
    assert np.array_equal(session.run({"x": given})["y"], given)


def test_what_is_no_number_is_said(tmp_path: Path) -> None:
    path = written(tmp_path / "m.onnx", TensorProto.STRING, ["N"])
    with pytest.raises(CannotAnswer, match=r"`x` of the model is tensor\(string\)"):
        open_session(path, device="cpu")


def test_a_name_alone_makes_no_cache(tmp_path: Path) -> None:
    name = "past_key_values.0.key"
    path = written(tmp_path / "m.onnx", TensorProto.FLOAT, ["N", 2], name)
    session = open_session(path, device="cpu")
    assert (session.past, list(session.inputs)) == ({}, [name])


def test_a_refusal_names_no_source_of_the_runtime(tmp_path: Path) -> None:
    path = written(tmp_path / "m.onnx", TensorProto.FLOAT, ["N"], opset=99)
    with pytest.raises(CannotAnswer, match="Opset 99") as caught:
        open_session(path, device="cpu")
    assert "onnxruntime::" not in caught.value.message and ".h:" not in caught.value.message
