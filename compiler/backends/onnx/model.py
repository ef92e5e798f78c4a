"""A listing as an ONNX model file."""

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

import compiler
from compiler.backends.onnx.data import Place
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
from compiler.backends.onnx.properties import properties
from compiler.backends.onnx.versions import ir_version, opset
from compiler.backends.onnx.words import words_of
from compiler.ir.program import Program
from compiler.ir.size import constant, text
from compiler.ir.types import TensorType

if TYPE_CHECKING:
    from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto

    from compiler.importers.lazy import Array


def model_bytes(
    program: Program,
    listing: Listing,
    where: Mapping[str, Place],
    read: Callable[[Weight], "Array"],
) -> bytes:
    """The bytes of one ONNX file.

    A weight with a place lies in the data file; any other is read into the model file.
    """
    from onnx import helper

    steps = list(listing.flat())
    version = opset({step.operator for step in steps})
    opsets = {"": version} | {step.domain: 1 for step in steps if step.domain}
    ends = {*listing.inputs, *listing.outputs}

    def typed(values: Mapping[str, TensorType]) -> "list[ValueInfoProto]":
        return [
            _value(name, found, program, Element.float32 if name in ends else listing.number)
            for name, found in values.items()
        ]

    graph = helper.make_graph(
        [_node(step, program, listing.number) for step in listing.steps if isinstance(step, Step)],
        program.name,
        typed(listing.taken()),
        typed(listing.given()),
        [
            *(_constant(found) for found in listing.constants.values()),
            *(_weight(w, where.get(w.name), read) for w in listing.weights.values()),
        ],
    )
    model = helper.make_model(
        graph,
        ir_version=ir_version(version),
        producer_name="archc",
        producer_version=compiler.__version__,
        opset_imports=[helper.make_opsetid(*each) for each in sorted(opsets.items())],
    )
    if program.about:
        model.doc_string = program.about
    helper.set_model_props(model, dict(sorted(properties(program, listing).items())))
    written: bytes = model.SerializeToString(deterministic=True)
    return written


def _value(
    name: str, found: TensorType, program: Program, floats: Element = Element.float32
) -> "ValueInfoProto":
    from onnx import helper

    sizes = [program.key.fix(size) for size in found.shape]
    dims = [text(size) if (number := constant(size)) is None else number for size in sizes]
    said = ELEMENTS[found.element]
    return helper.make_tensor_value_info(name, floats if said is Element.float32 else said, dims)


def _node(step: Step, program: Program, number: Element) -> "NodeProto":
    """The node of a step; the name of an input or output that is left out is empty."""
    from onnx import helper

    attributes = [_attribute(name, found) for name, found in step.attributes.items()]
    for name, inner in step.graphs.items():
        attributes.append(helper.make_attribute(name, _inner(inner, program, number)))
    node = helper.make_node(
        step.kind, step.inputs, step.outputs, step.name, domain=step.domain or None
    )
    node.attribute.extend(attributes)
    return node


def _attribute(name: str, found: Attribute) -> "AttributeProto":
    from onnx import AttributeProto, helper

    kind = AttributeProto.INTS if found == () else None
    return helper.make_attribute(name, found, attr_type=kind)


def _inner(inner: Inner, program: Program, number: Element) -> "GraphProto":
    """A graph that a node runs; it sees the values that were made before the node."""
    from onnx import helper

    return helper.make_graph(
        [_node(step, program, number) for step in inner.steps],
        inner.nodes.strip("/"),
        [_value(name, found, program, number) for name, found in inner.inputs.items()],
        [_value(name, found, program, number) for name, found in inner.outputs.items()],
    )


WORDS: Final = {
    Element.float32: "f",
    Element.float16: "e",
    Element.int64: "q",
    Element.bool: "?",
}
"""What the struct module calls the types of constants that it has."""


def _constant(found: Constant) -> "TensorProto":
    import numpy as np

    if found.element is Element.bfloat16:
        words = words_of(np.array(found.values, np.float32), found.element).tobytes()
    else:
        words = struct.pack(f"<{len(found.values)}{WORDS[found.element]}", *found.values)
    return _tensor(found.name, found.element, found.shape, words)


def _weight(
    weight: Weight, place: Place | None, read: Callable[[Weight], "Array"]
) -> "TensorProto":
    from onnx import StringStringEntryProto, TensorProto

    if place is None:
        return _tensor(weight.name, weight.element, weight.shape, read(weight).tobytes())
    said = {"location": place.file, "offset": place.offset, "length": place.length}
    return TensorProto(
        name=weight.name,
        dims=weight.shape,
        data_type=weight.element,
        data_location=TensorProto.EXTERNAL,
        external_data=[StringStringEntryProto(key=k, value=str(v)) for k, v in said.items()],
    )


def _tensor(name: str, element: Element, shape: Iterable[int], words: bytes) -> "TensorProto":
    """A tensor that holds its words, little-endian."""
    from onnx import TensorProto

    return TensorProto(name=name, dims=shape, data_type=element, raw_data=words)
