"""What an attention finds around it."""

from archspec.source.frozen import Frozen
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Stream


class Around(Frozen):
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
