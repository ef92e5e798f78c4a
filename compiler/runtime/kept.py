"""What a decoder keeps between two steps, in whichever form it is held."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from archspec.source.frozen import Frozen
from compiler.runtime.buffers import Buffers

if TYPE_CHECKING:
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[Any]
    Kept: TypeAlias = tuple[Array, ...] | Buffers
    Past: TypeAlias = Kept | "Encoded"


class Encoded(Frozen):
    """A sequence of a decoder over a source.

    Attributes:
        given: what the encoder gave by its names; None where the source is not encoded yet.
        kept: what the decoder keeps; None before its first step.
    """

    given: "Mapping[str, Array] | None"
    kept: "Kept | None"
