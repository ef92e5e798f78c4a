"""The messages of an ONNX file, with the numbers that onnx.proto gives their fields.

Fields stand in the order of their numbers and none is left to a default, so that onnx writes the
same bytes when it has read them.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from compiler.backends.onnx.data import Place
from compiler.backends.onnx.listing import Attribute, Element
from compiler.backends.onnx.wire import content, integer, single, text

FLOAT, INT, STRING, GRAPH, INTS = 1, 2, 3, 5, 7
"""What an attribute holds: `AttributeProto.AttributeType`."""

EXTERNAL: Final = 1
"""Where a tensor lies that is not in the file: `TensorProto.DataLocation`."""


def model_proto(
    graph: bytes,
    *,
    ir_version: int,
    producer: tuple[str, str],
    about: str,
    opsets: Mapping[str, int],
    properties: Mapping[str, str],
) -> bytes:
    """A ModelProto; `producer` is a name and a version."""
    name, version = producer
    fields = [integer(1, ir_version), text(2, name), text(3, version)]
    fields += [text(6, about)] if about else []
    fields.append(content(7, graph))
    fields += [content(8, text(1, domain) + integer(2, n)) for domain, n in sorted(opsets.items())]
    fields += [
        content(14, text(1, key) + text(2, said)) for key, said in sorted(properties.items())
    ]
    return b"".join(fields)


def graph_proto(
    name: str,
    nodes: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    initializers: Iterable[bytes] = (),
) -> bytes:
    """A GraphProto of messages."""
    fields = chain(
        (content(1, node) for node in nodes),
        (text(2, name),),
        (content(5, tensor) for tensor in initializers),
        (content(11, value) for value in inputs),
        (content(12, value) for value in outputs),
    )
    return b"".join(fields)


def node_proto(
    name: str,
    kind: str,
    domain: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    attributes: Iterable[bytes],
) -> bytes:
    """A NodeProto; the name of an input or output that is left out is empty."""
    fields = chain(
        (text(1, each) for each in inputs),
        (text(2, each) for each in outputs),
        (text(3, name), text(4, kind)),
        (content(5, attribute) for attribute in attributes),
        (text(7, domain),) if domain else (),
    )
    return b"".join(fields)


def attribute_proto(name: str, found: Attribute) -> bytes:
    """An AttributeProto with one or several integers, a float or a text."""
    match found:
        case int():
            held, kind = integer(3, found), INT
        case float():
            held, kind = single(2, found), FLOAT
        case str():
            held, kind = text(4, found), STRING
        case _:
            held, kind = b"".join(integer(8, each) for each in found), INTS
    return text(1, name) + held + integer(20, kind)


def graph_attribute_proto(name: str, graph: bytes) -> bytes:
    """An AttributeProto with the graph that a node runs."""
    return text(1, name) + content(6, graph) + integer(20, GRAPH)


def value_proto(name: str, element: Element, shape: Iterable[int | str]) -> bytes:
    """A ValueInfoProto of a tensor; a size is a number or the name of one."""
    dims = (integer(1, each) if isinstance(each, int) else text(2, each) for each in shape)
    held = b"".join(content(1, dim) for dim in dims)
    tensor = integer(1, element) + content(2, held)
    return text(1, name) + content(2, content(1, tensor))


def tensor_proto(name: str, element: Element, shape: Sequence[int], raw: bytes) -> bytes:
    """A TensorProto that holds its words, little-endian."""
    return _tensor(element, shape) + text(8, name) + content(9, raw)


def external_proto(name: str, element: Element, shape: Sequence[int], place: Place) -> bytes:
    """A TensorProto whose words lie in a file beside the model."""
    said = {"location": place.file, "offset": place.offset, "length": place.length}
    lies = (content(13, text(1, key) + text(2, str(value))) for key, value in said.items())
    return b"".join((_tensor(element, shape), text(8, name), *lies, integer(14, EXTERNAL)))


def _tensor(element: Element, shape: Sequence[int]) -> bytes:
    return b"".join(integer(1, size) for size in shape) + integer(2, element)
