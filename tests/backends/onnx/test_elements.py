"""Element types of values against what onnx infers from the finished file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
import pytest

from compiler.backends.onnx import emit
from compiler.backends.onnx.elements import Typing
from compiler.backends.onnx.kernels import table
from compiler.backends.onnx.walk import unrolled
from tests.backends.onnx.built import compiled
from tests.generated.samples import small

SPECS = (
    "decoder/gpt2",
    "decoder/mixtral-8x7b",
    "encoder/deberta-v3-xsmall",
    "history/02-bahdanau-final",
    "multimodal/clip-b32",
    "vision/dinov2-small",
)


def inferred(proto: onnx.ModelProto) -> Mapping[str, str]:
    """The element type of every value, as onnx infers it, those inside of scans too."""
    found: dict[str, str] = {}

    def look(graph: Any) -> None:
        for value in (*graph.value_info, *graph.input, *graph.output):
            kind = value.type.tensor_type.elem_type
            found[value.name] = onnx.TensorProto.DataType.Name(kind).lower()
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    look(attribute.g)

    look(onnx.shape_inference.infer_shapes(proto).graph)
    return found


@pytest.mark.parametrize("name", SPECS)
def test_types_are_those_that_onnx_infers(name: str, tmp_path: Path) -> None:
    program = small(f"specs/{name}.yaml").whole
    emitted = emit({"model": program}, None, tmp_path)
    wanted = inferred(onnx.load(tmp_path / "model.onnx", load_external_data=False))
    listing = unrolled(program)
    typing = Typing.of(listing, table(), emitted.opset, "float")
    steps = [each.step for each in typing.steps(listing.steps)]
    assert len(steps) == emitted.nodes
    values = {value for step in steps for value in step.outputs}
    assert {value: typing.found[value] for value in values} == {v: wanted[v] for v in values}


def test_numbers_take_the_type_that_is_asked_for() -> None:
    spec = {
        "name": "one",
        "inputs": {"x": {"features": ["T", 4]}},
        "graph": {"y": {"linear": {"dim": 3}, "in": "x"}, "z": {"pool": "mean"}},
    }
    listing = unrolled(compiled(spec))
    typing = Typing.of(listing, table(), 18, "bfloat16")
    types = [each.types for each in typing.steps(listing.steps)]
    assert {kind for each in types for kind in each.values()} == {"bfloat16"}
