"""What a decoder keeps between two steps, in whichever form it is held."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from archspec.source.frozen import Frozen
from compiler.runtime.buffers import Buffers

if TYPE_CHECKING:
    import numpy.typing as npt
    import onnxruntime

    Array: TypeAlias = npt.NDArray[Any]
    Value: TypeAlias = Array | onnxruntime.OrtValue
    Kept: TypeAlias = tuple[Value, ...] | Buffers
    Past: TypeAlias = Kept | "Encoded"


class Encoded(Frozen):
    """A sequence of a decoder over a source.

    Attributes:
        given: what the encoder gave by its names; None where the source is not encoded yet.
        kept: what the decoder keeps; None before its first step.
    """

    given: "Mapping[str, Value] | None"
    kept: "Kept | None"
