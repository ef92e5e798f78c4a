"""What an attention finds around it."""

from dataclasses import dataclass

from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope, Stream


@dataclass(frozen=True)
class Around:
    """What a layer finds around it.

    Attributes:
        stream: the main path that comes in.
        streams: every named edge so far, with its type, for cross-attention.
        cached: whether decoding keeps keys and values of this path.
        draws: how weights are drawn.
    """

    stream: Stream
    streams: dict[str, tuple[Stream, TensorType]]
    cached: bool
    draws: Draws


def packed(scope: Scope, stream: Stream) -> bool:
    """Whether a path begins at an input with several documents a row."""
    return stream.input in scope.spec.inputs and scope.spec.inputs[stream.input].segments
