"""Each message as onnx's own helpers make it, and whole models as onnx writes what it has read."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import archspec
from compiler.backends.onnx import emit
from compiler.backends.onnx.data import Place
from compiler.backends.onnx.listing import Element
from compiler.backends.onnx.messages import (
    attribute_proto,
    external_proto,
    graph_attribute_proto,
    graph_proto,
    model_proto,
    node_proto,
    tensor_proto,
    value_proto,
)
from compiler.ir.target import PORTABLE, Target
from compiler.passes.fuse import fuse
from compiler.passes.served import served
from compiler.pipeline.passes import lowered

SPECS = Path(__file__).parents[3] / "specs"


def written(message: Any) -> bytes:
    found: bytes = message.SerializeToString(deterministic=True)
    return found


@pytest.mark.parametrize("found", [3, -1, 0, True, 0.5, -3.4028235e38, "", "a ¶ b", (1, -2), ()])
def test_attributes(found: Any) -> None:
    kind = None if found != () else onnx.AttributeProto.INTS
    expected = helper.make_attribute("said", found, attr_type=kind)
    assert attribute_proto("said", found) == written(expected)


def test_a_graph_within_a_node() -> None:
    inner = helper.make_graph([], "body", [], [])
    expected = helper.make_attribute("body", inner)
    assert graph_attribute_proto("body", written(inner)) == written(expected)


@pytest.mark.parametrize("domain", ["", "com.microsoft"])
def test_nodes(domain: str) -> None:
    said = {"axis": -1, "epsilon": 1e-5}
    expected = helper.make_node("Norm", ["x", "", "g"], ["y"], "/norm", domain=domain or None)
    expected.attribute.extend(helper.make_attribute(*each) for each in said.items())
    attributes = [attribute_proto(*each) for each in said.items()]
    assert node_proto("/norm", "Norm", domain, ("x", "", "g"), ("y",), attributes) == written(
        expected
    )


def test_values() -> None:
    expected = helper.make_tensor_value_info("x", TensorProto.FLOAT16, ["B", 0, 64])
    assert value_proto("x", Element.float16, ["B", 0, 64]) == written(expected)
    scalar = helper.make_tensor_value_info("n", TensorProto.INT64, [])
    assert value_proto("n", Element.int64, []) == written(scalar)


def test_tensors() -> None:
    numbers = np.arange(6, dtype="<f4").reshape(2, 3)
    expected = onnx.numpy_helper.from_array(numbers, "w")
    assert tensor_proto("w", Element.float32, (2, 3), numbers.tobytes()) == written(expected)


def test_tensors_beside_the_model() -> None:
    expected = TensorProto(
        name="w", dims=[2, 3], data_type=TensorProto.INT8, data_location=TensorProto.EXTERNAL
    )
    for key, said in (("location", "model.onnx.data"), ("offset", "4096"), ("length", "6")):
        expected.external_data.add(key=key, value=said)
    place = Place(4096, 6)
    assert external_proto("w", Element.int8, (2, 3), place) == written(expected)


def test_models() -> None:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])
    weight = onnx.numpy_helper.from_array(np.ones(1, "f4"), "w")
    node = helper.make_node("Add", ["x", "w"], ["y"], "/add")
    graph = helper.make_graph([node], "one", [x], [y], [weight])
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    expected = helper.make_model(
        graph, ir_version=10, producer_name="archc", producer_version="1", opset_imports=opsets
    )
    expected.doc_string = "about"
    helper.set_model_props(expected, {"a": "1", "b": "2"})
    made = graph_proto("one", [written(node)], [written(x)], [written(y)], [written(weight)])
    assert made == written(graph)
    assert model_proto(
        made,
        ir_version=10,
        producer=("archc", "1"),
        about="about",
        opsets={"com.microsoft": 1, "": 23},
        properties={"b": "2", "a": "1"},
    ) == written(expected)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("decoder/llama3-8b", Target("cpu", "fp32")),
        ("decoder/gpt2", Target("cuda", "bf16")),
        ("decoder/mixtral-8x7b", Target("cpu", "int4")),
        ("encoder-decoder/t5-small", PORTABLE),
        ("history/03-luong-dot", PORTABLE),
        ("vision/vit-b16-cls", Target("cuda", "fp16")),
    ],
)
def test_onnx_writes_the_same_bytes_again(name: str, target: Target, tmp_path: Path) -> None:
    """Nothing of a file is unknown to onnx, left to a default or out of order."""
    program = fuse(lowered(archspec.load(SPECS / f"{name}.yaml")))
    for file in emit(served(program, target.logits), None, tmp_path, target=target).files:
        held = (tmp_path / file).read_bytes()
        assert written(onnx.load_model_from_string(held)) == held
