"""A listing as an ONNX model file, made with onnx-ir."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import compiler
from compiler.backends.onnx.data import Place
from compiler.backends.onnx.decoder import logits_of
from compiler.backends.onnx.listing import (
    ELEMENTS,
    Attribute,
    Constant,
    Element,
    Inner,
    Listing,
    Step,
    Weight,
)
from compiler.backends.onnx.versions import ir_version, opset
from compiler.backends.onnx.words import words_of
from compiler.ir.program import Program
from compiler.ir.size import constant, text
from compiler.ir.types import TensorType

if TYPE_CHECKING:
    import onnx_ir as ir

    from compiler.importers.lazy import Array

PAST: Final = "archc.past"
"""The property that names what a decoder keeps: an input and its output, `a=b`, each."""
LOGITS: Final = "archc.logits"
"""The property that names the output with scores of a vocabulary."""
OUTPUTS: Final = "archc.outputs"
"""The property of a decoder with all outputs of the model; those it has not are its encoder's."""
SHARES: Final = "archc.shares"
"""The property of a decoder whose past and present may be one buffer, longer than what it holds."""
ZEROS: Final = "archc.zeros"
"""The property that names inputs which are zeros where a caller gives none."""


def model_bytes(
    program: Program,
    listing: Listing,
    where: Mapping[str, Place],
    read: Callable[[Weight], "Array"],
) -> bytes:
    """The bytes of one ONNX file.

    A weight with a place lies in the data file; any other is read into the model file.
    """
    import onnx_ir as ir

    steps = list(listing.flat())
    version = opset({step.operator for step in steps})
    initializers = [
        *(_initializer(_constant(found)) for found in listing.constants.values()),
        *(_initializer(_weight(w, where.get(w.name), read)) for w in listing.weights.values()),
    ]
    values = {v.name: v for v in initializers if v.name}
    for name, found in (*listing.taken().items(), *listing.given().items()):
        outer = name in listing.inputs or name in listing.outputs
        values[name] = _typed(name, found, program, Element.float32 if outer else listing.number)
    graph = ir.Graph(
        [values[name] for name in listing.taken()],
        [values[name] for name in listing.given()],
        nodes=[_node(step, values, program) for step in listing.steps if isinstance(step, Step)],
        initializers=initializers,
        opset_imports={"": version} | {step.domain: 1 for step in steps if step.domain},
        name=program.name,
    )
    model = ir.Model(
        graph,
        ir_version=ir_version(version),
        producer_name="archc",
        producer_version=compiler.__version__,
        doc_string=program.about or None,
        metadata_props=_properties(program, listing),
    )
    written: bytes = ir.to_proto(model).SerializeToString(deterministic=True)
    return written


def _properties(program: Program, listing: Listing) -> dict[str, str]:
    pairs = zip(listing.past, listing.present, strict=True)
    said = {
        "archc.spec": program.path,
        "archc.spec_sha256": program.digest,
        "archc.version": compiler.__version__,
        ZEROS: " ".join(name for name, found in listing.inputs.items() if found.optional),
        PAST: " ".join(f"{past}={present}" for past, present in pairs),
        LOGITS: logits_of(program),
        OUTPUTS: " ".join(program.gives),
        SHARES: "true" if listing.shares else "",
    }
    return {name: found for name, found in said.items() if found}


def _typed(
    name: str, found: TensorType, program: Program, floats: Element = Element.float32
) -> "ir.Value":
    import onnx_ir as ir

    sizes = [program.key.fix(size) for size in found.shape]
    dims = [text(size) if (number := constant(size)) is None else number for size in sizes]
    said = ELEMENTS[found.element]
    element = ir.DataType(int(floats if said is Element.float32 else said))
    return ir.Value(name=name, type=ir.TensorType(element), shape=ir.Shape(dims))


def _node(step: Step, values: dict[str, "ir.Value"], program: Program) -> "ir.Node":
    import onnx_ir as ir

    inputs = [values[each] if each else None for each in step.inputs]
    outputs = [
        values.setdefault(each, ir.Value(name=each)) if each else ir.Value(name="")
        for each in step.outputs
    ]
    attributes = [_attribute(name, found) for name, found in step.attributes.items()]
    if step.inner is not None:
        attributes.append(ir.AttrGraph("body", _inner(step.inner, values, program)))
    return ir.Node(step.domain, step.kind, inputs, attributes, outputs=outputs, name=step.name)


def _inner(inner: Inner, around: dict[str, "ir.Value"], program: Program) -> "ir.Graph":
    """The graph that a node runs over and over; it sees the values that were made before the
    node."""
    import onnx_ir as ir

    values = dict(around)
    for name, found in (*inner.inputs.items(), *inner.outputs.items()):
        values[name] = _typed(name, found, program)
    return ir.Graph(
        [values[name] for name in inner.inputs],
        [values[name] for name in inner.outputs],
        nodes=[_node(step, values, program) for step in inner.steps],
        name=inner.nodes.strip("/"),
    )


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


def _initializer(tensor: "ir.TensorProtocol") -> "ir.Value":
    import onnx_ir as ir

    return ir.Value(name=tensor.name, const_value=tensor)


def _constant(found: Constant) -> "ir.TensorProtocol":
    import numpy as np
    import onnx_ir as ir

    words: dict[Element, Any] = {
        Element.float32: np.float32,
        Element.float16: np.float16,
        Element.bfloat16: np.float32,
        Element.int64: np.int64,
        Element.bool: np.bool_,
    }
    values = found.values if found.vector else found.values[0]
    numbers = np.array(values, words[found.element])
    if found.element is Element.bfloat16:
        numbers = words_of(numbers.reshape(-1), Element.bfloat16).reshape(numbers.shape)
    return ir.Tensor(numbers, ir.DataType(int(found.element)), name=found.name)


def _weight(
    weight: Weight, place: Place | None, read: Callable[[Weight], "Array"]
) -> "ir.TensorProtocol":
    import onnx_ir as ir

    if place is None:
        return ir.Tensor(read(weight), ir.DataType(int(weight.element)), name=weight.name)
    return ir.ExternalTensor(
        place.file,
        place.offset,
        place.length,
        ir.DataType(int(weight.element)),
        shape=ir.Shape(weight.shape),
        name=weight.name,
    )
