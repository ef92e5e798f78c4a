"""DINOv2 S/14 out of an ONNX file: its weights as transformers names them, and what it computes.

PyTorch's exporter kept the names of biases, norms and factors. The matrices it turned over and left
nameless; each is found by the named bias that is added to its product. It took the table of
positions apart, into the first token's row and the grid.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx.numpy_helper import to_array
from safetensors.numpy import save_file

Array = npt.NDArray[np.float32]

INPUT, HIDDEN = "input_image", "/backbone/layernorm/Add_1_output_0"
WHOLE = "backbone."
POSITIONS = "embeddings.position_embeddings"


def opened(file: Path) -> onnx.ModelProto:
    """The published graph with its weights, as it is."""
    model: onnx.ModelProto = onnx.load(file)
    return model


def weights(model: onnx.ModelProto) -> dict[str, Array]:
    """The backbone's tensors by the names of `Dinov2Model`, each once and none left over."""
    constants = {each.name: to_array(each) for each in model.graph.initializer}
    found = {name: tensor for name, tensor in constants.items() if name.startswith(WHOLE)}
    matrices = _matrices(model, constants)
    rows = _rows(model, constants)
    used = {*found, *matrices.values(), *rows}
    assert all(name.startswith("decoder.") for name in constants if name not in used)
    found |= {name: constants[nameless].T for name, nameless in matrices.items()}
    found[WHOLE + POSITIONS] = np.concatenate([constants[name] for name in rows], axis=1)
    return {name.removeprefix(WHOLE): np.ascontiguousarray(each) for name, each in found.items()}


def _matrices(model: onnx.ModelProto, constants: Mapping[str, Array]) -> dict[str, str]:
    """The nameless matrix of each weight: it makes the product that the named bias is added to."""
    products = {
        node.output[0]: node.input[1]
        for node in model.graph.node
        if node.op_type == "MatMul" and node.input[1] in constants
    }
    return {
        f"{node.input[0].removesuffix('.bias')}.weight": products[node.input[1]]
        for node in model.graph.node
        if node.op_type == "Add" and node.input[1] in products
    }


def _rows(model: onnx.ModelProto, constants: Mapping[str, Array]) -> tuple[str, str]:
    """What is joined in front of the resized grid of positions, and that grid."""
    named = {name for name in constants if not name.startswith("onnx::")}
    (first,) = _read_by("Concat", model, constants.keys() - named)
    (grid,) = _read_by("Reshape", model, constants.keys() - named)
    return first, grid


def _read_by(operator: str, model: onnx.ModelProto, names: set[str]) -> list[str]:
    nodes = (node for node in model.graph.node if node.op_type == operator)
    return [name for node in nodes for name in node.input if name in names]


def write_checkpoint(model: onnx.ModelProto, config: Path, folder: Path) -> None:
    """A folder as transformers publishes one: the config and the weights."""
    folder.mkdir()
    (folder / "config.json").write_text(config.read_text())
    save_file(weights(model), folder / "model.safetensors", metadata={"format": "pt"})


def ending_at_the_backbone(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """A session of the published graph that gives the hidden states, for pictures of any size.

    Only what the graph says of its input and outputs is changed: its nodes ask for the size.
    """
    sides = model.graph.input[0].type.tensor_type.shape.dim
    sides[2].dim_param, sides[3].dim_param = "height", "width"
    del model.graph.output[:]
    model.graph.output.append(onnx.helper.make_empty_tensor_value_info(HIDDEN))
    return onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
