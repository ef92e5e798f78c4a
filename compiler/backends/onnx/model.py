"""A listing as an ONNX model file."""

import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import compiler
from compiler.backends.onnx.data import Place
from compiler.backends.onnx.decoder import logits_of
from compiler.backends.onnx.listing import ELEMENTS, Constant, Element, Inner, Listing, Step, Weight
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
from compiler.backends.onnx.versions import ir_version, opset
from compiler.ir.program import Program
from compiler.ir.size import constant, text
from compiler.ir.types import TensorType

if TYPE_CHECKING:
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
    steps = list(listing.flat())
    version = opset({step.operator for step in steps})
    ends = {*listing.inputs, *listing.outputs}

    def typed(values: Mapping[str, TensorType]) -> list[bytes]:
        return [
            _value(name, found, program, Element.float32 if name in ends else listing.number)
            for name, found in values.items()
        ]

    graph = graph_proto(
        program.name,
        [_node(step, program, listing.number) for step in listing.steps if isinstance(step, Step)],
        typed(listing.taken()),
        typed(listing.given()),
        [
            *(_constant(found) for found in listing.constants.values()),
            *(_weight(w, where.get(w.name), read) for w in listing.weights.values()),
        ],
    )
    return model_proto(
        graph,
        ir_version=ir_version(version),
        producer=("archc", compiler.__version__),
        about=program.about,
        opsets={"": version} | {step.domain: 1 for step in steps if step.domain},
        properties=_properties(program, listing),
    )


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


def _value(
    name: str, found: TensorType, program: Program, floats: Element = Element.float32
) -> bytes:
    sizes = [program.key.fix(size) for size in found.shape]
    dims = [text(size) if (number := constant(size)) is None else number for size in sizes]
    said = ELEMENTS[found.element]
    return value_proto(name, floats if said is Element.float32 else said, dims)


def _node(step: Step, program: Program, number: Element) -> bytes:
    attributes = [attribute_proto(name, found) for name, found in step.attributes.items()]
    if step.inner is not None:
        attributes.append(graph_attribute_proto("body", _inner(step.inner, program, number)))
    return node_proto(step.name, step.kind, step.domain, step.inputs, step.outputs, attributes)


def _inner(inner: Inner, program: Program, number: Element) -> bytes:
    """The graph that a node runs over and over; it sees the values that were made before the
    node."""
    return graph_proto(
        inner.nodes.strip("/"),
        [_node(step, program, number) for step in inner.steps],
        [_value(name, found, program, number) for name, found in inner.inputs.items()],
        [_value(name, found, program, number) for name, found in inner.outputs.items()],
    )


WORDS: Final = {
    Element.float32: "f",
    Element.float16: "e",
    Element.int64: "q",
    Element.bool: "?",
}
"""What the struct module calls the types of constants."""


def _constant(found: Constant) -> bytes:
    count = len(found.values)
    if found.element is Element.bfloat16:
        words = struct.pack(f"<{count}H", *map(_bfloat16, found.values))
    else:
        words = struct.pack(f"<{count}{WORDS[found.element]}", *found.values)
    return tensor_proto(found.name, found.element, found.shape, words)


def _bfloat16(number: float) -> int:
    """The word of the number nearest to a float32, of two the even one."""
    bits = int.from_bytes(struct.pack("<f", number), "little")
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _weight(weight: Weight, place: Place | None, read: Callable[[Weight], "Array"]) -> bytes:
    if place is None:
        return tensor_proto(weight.name, weight.element, weight.shape, read(weight).tobytes())
    return external_proto(weight.name, weight.element, weight.shape, place)
