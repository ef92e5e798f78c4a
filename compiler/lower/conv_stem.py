"""Convolutions that shorten frames before an encoder reads them."""

from archspec.components.conv_stem import ConvStem
from compiler.ir.graph import Value
from compiler.ir.size import Poly, Size, constant
from compiler.lower.draws import Draws
from compiler.lower.positions import Course, positions
from compiler.lower.scope import Scope, Stream
from compiler.lower.strides import Filter, places, strided, zeroed
from compiler.ops import Activation, Dropout, FrameConv, Swap


def filters(component: ConvStem) -> list[Filter]:
    """The convolutions of a stem, in order."""
    found = [dict(step) for step in component.convs]
    return [Filter(int(s["kernel"]), int(s["stride"]), int(s["pad"]), int(s["pad"])) for s in found]


def conv_stem(
    scope: Scope,
    component: ConvStem,
    x: Value,
    stream: Stream,
    name: str,
    frames: bool,
    draws: Draws,
    dropout: float,
) -> Value:
    """`frames` [B, in_dim, T], else a sequence [B, T, in_dim], to [B, N, dim].

    `name` is the node's; `stream` is what it reads. Padding counts as silence: as zeros.
    """
    x = x if frames else scope.op("frames", Swap(), x)
    batch, channels, length = scope.type(x).shape
    if constant(scope.letters.fix(channels)) != int(component.in_dim):
        scope.reject(
            "AR0301",
            f"frames have {scope.letters.fix(channels)} channels here but {component.in_dim} there",
            "read here",
            field="in_dim",
        )
    real = scope.real(stream, batch, length)
    for number, found in enumerate(filters(component), 1):
        if real is not None:
            x = scope.op("back", Swap(), zeroed(scope, found, scope.op("on", Swap(), x), real))
        count = places(scope, found, length, name)
        x = _convolved(scope, component, x, found, count, f"conv_{number}", draws)
        real, length = strided(scope, found, real, count), count
    x = scope.op("sequence", Swap(), x)
    if component.positions is not None:
        course = Course(name, False, real is not None, "conv_stem.positions.from", real=real)
        x = positions(scope, component.positions, x, course, draws)
    return scope.op("drop", Dropout(dropout), x) if dropout else x


def shortened(
    scope: Scope, component: ConvStem, stream: Stream, name: str, frames: bool
) -> Value | None:
    """The padding mask of what comes out of a stem."""
    real, length = stream.real, scope.type(stream.value).shape[2 if frames else 1]
    for found in filters(component):
        count = places(scope, found, length, name)
        real, length = strided(scope, found, real, count), count
    return real


def _convolved(
    scope: Scope,
    component: ConvStem,
    x: Value,
    found: Filter,
    count: Size,
    id_: str,
    draws: Draws,
) -> Value:
    letters, channels = scope.letters, scope.type(x).shape[1]
    width = letters.fixed("width", component.dim, component.dim.said)
    taps: Poly = letters.fixed("patch", found.taps, "", "taps of a filter")
    wide = int(component.in_dim if id_ == "conv_1" else component.dim)
    init = draws.inner(wide * found.taps, component.dim)
    operator = FrameConv(
        width,
        channels,
        taps,
        count,
        found.stride,
        found.before,
        found.after,
        bias=component.bias,
        init=init,
    )
    return scope.op(f"{id_}_act", Activation(component.act), scope.op(id_, operator, x))
