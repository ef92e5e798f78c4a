"""A listing as an ONNX model file, made with onnx-ir."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from compiler.backends.onnx.data import Place
from compiler.backends.onnx.listing import Attribute, Constant, Element, Listing, Step, Weight
from compiler.backends.onnx.versions import ir_version, opset
from compiler.backends.onnx.walk import element_of
from compiler.ir.program import Program
from compiler.ir.size import constant, text
from compiler.ir.types import TensorType

if TYPE_CHECKING:
    import onnx_ir as ir

    from compiler.importers.lazy import Array

DATA: Final = "model.onnx.data"


@dataclass(frozen=True)
class About:
    """What a model file says about itself."""

    name: str
    prose: str
    properties: Mapping[str, str]
    version: str


def model_bytes(
    program: Program,
    listing: Listing,
    about: About,
    where: Mapping[str, Place],
    read: Callable[[Weight], "Array"],
) -> bytes:
    """The bytes of `model.onnx`; a weight without a place in the data file is read into the model file."""
    import onnx_ir as ir

    values: dict[str, ir.Value] = {}
    for name, found in listing.inputs.items():
        values[name] = _typed(name, found, program)
    initializers = [
        ir.Value(name=found.name, const_value=_constant(found))
        for found in listing.constants.values()
    ]
    for weight in listing.weights.values():
        tensor = _weight(weight, where.get(weight.name), read)
        initializers.append(ir.Value(name=weight.name, const_value=tensor))
    values.update({v.name: v for v in initializers if v.name})
    for name, found in listing.outputs.items():
        values[name] = _typed(name, found, program)
    nodes = [_node(step, values) for step in listing.flat()]
    version = opset({step.kind for step in listing.flat()})
    graph = ir.Graph(
        [values[name] for name in listing.inputs],
        [values[name] for name in listing.outputs],
        nodes=nodes,
        initializers=initializers,
        doc_string=about.prose or None,
        opset_imports={"": version} | {step.domain: 1 for step in listing.flat() if step.domain},
        name=about.name,
    )
    model = ir.Model(
        graph,
        ir_version=ir_version(version),
        producer_name="archc",
        producer_version=about.version,
        metadata_props=dict(about.properties),
    )
    written: bytes = ir.to_proto(model).SerializeToString(deterministic=True)
    return written


def _typed(name: str, found: TensorType, program: Program) -> "ir.Value":
    import onnx_ir as ir

    sizes = [program.key.fix(size) for size in found.shape]
    dims = [text(size) if constant(size) is None else constant(size) for size in sizes]
    element = ir.DataType(int(element_of(found)))
    return ir.Value(name=name, type=ir.TensorType(element), shape=ir.Shape(dims))


def _node(step: Step, values: dict[str, "ir.Value"]) -> "ir.Node":
    import onnx_ir as ir

    inputs = [values[each] if each else None for each in step.inputs]
    outputs = [values.setdefault(each, ir.Value(name=each)) for each in step.outputs]
    attributes = [_attribute(name, found) for name, found in step.attributes.items()]
    return ir.Node(step.domain, step.kind, inputs, attributes, outputs=outputs, name=step.name)


def _attribute(name: str, found: Attribute) -> "ir.Attr":
    import onnx_ir as ir

    match found:
        case int():
            return ir.AttrInt64(name, int(found))
        case float():
            return ir.AttrFloat32(name, found)
        case str():
            return ir.AttrString(name, found)
        case _:
            return ir.AttrInt64s(name, list(found))


def _constant(found: Constant) -> "ir.TensorProtocol":
    import numpy as np
    import onnx_ir as ir

    kinds: dict[Element, Any] = {
        Element.float32: np.float32,
        Element.int64: np.int64,
        Element.bool: np.bool_,
    }
    array = np.array(found.values if found.vector else found.values[0], kinds[found.element])
    return ir.Tensor(array, name=found.name)


def _weight(
    weight: Weight, place: Place | None, read: Callable[[Weight], "Array"]
) -> "ir.TensorProtocol":
    import onnx_ir as ir

    if place is None:
        return ir.Tensor(read(weight), name=weight.name)
    return ir.ExternalTensor(
        DATA,
        place.offset,
        place.length,
        ir.DataType.FLOAT,
        shape=ir.Shape(weight.shape),
        name=weight.name,
    )
