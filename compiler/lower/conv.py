"""Convolution over a sequence or over an image."""

from archspec.components.conv import Conv
from archspec.source.number import Sized
from compiler.ir.graph import Value
from compiler.ir.size import constant
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.lower.strides import Filter, places, strided, zeroed
from compiler.ops import Conv1d, Conv2d, FrameConv, Swap


def conv(
    scope: Scope, id_: str, component: Conv, x: Value, draws: Draws, real: Value | None = None
) -> tuple[Value, Value | None]:
    """[B, T, D] to [B, N, dim] with its padding mask, or [B, C, h, w] to [B, dim, h', w'].

    `real` is the padding mask of a sequence; padding counts as zeros, as they stand behind the end.
    """
    rank = len(scope.type(x).shape)
    if rank not in (3, 4):
        scope.reject("AR0307", "`conv` takes a sequence or an image", f"this has {rank} dimensions")
    if rank == 4:
        return _over_image(scope, id_, component, x, draws), None
    return _over_sequence(scope, id_, component, x, draws, real)


def _over_sequence(
    scope: Scope, id_: str, component: Conv, x: Value, draws: Draws, real: Value | None
) -> tuple[Value, Value | None]:
    found = _filter(scope, component)
    x = zeroed(scope, found, x, real)
    length, channels = scope.type(x).shape[1], scope.width(x)
    out, groups = _channels(scope, component, channels)
    width = scope.letters.fixed("width", out, out.said)
    each = (
        scope.letters.fixed("width", channels // groups) if groups > 1 else scope.type(x).shape[-1]
    )
    said = component.kernel[0].said
    kernel = scope.letters.fixed("patch", found.taps, said, "taps of a filter")
    init = draws.inner(channels // groups * found.taps, out)
    reach = (found.before, found.after, found.dilation)
    if found.keeps:
        operator = Conv1d(width, each, kernel, *reach, groups, component.bias, init)
        return scope.op(id_, operator, x), real
    count, stride = places(scope, found, length, id_), found.stride
    skipping = FrameConv(width, each, kernel, count, stride, *reach, groups, component.bias, init)
    y = scope.op(id_, skipping, scope.op(f"{id_}_in", Swap(), x))
    real = strided(scope, found, real, count)
    return scope.op(f"{id_}_out", Swap(), y), real


def _filter(scope: Scope, component: Conv) -> Filter:
    taps, dilation, stride = component.kernel[0], component.dilation[0], component.stride[0]
    if component.kernel[0] != component.kernel[1]:
        scope.reject(
            "AR0307", "a sequence has one axis to move along", "two are given", field="kernel"
        )
    reach = (taps - 1) * dilation
    if component.causal:
        return Filter(int(taps), int(stride), int(reach), 0, int(dilation))
    pad = 0 if component.pad == "valid" else component.pad
    around = int(reach // 2 if pad == "same" else pad)
    return Filter(int(taps), int(stride), around, around, int(dilation))


def _over_image(scope: Scope, id_: str, component: Conv, x: Value, draws: Draws) -> Value:
    if component.causal:
        scope.reject(
            "AR0307", "an image has no order to be causal in", "causal here", field="causal"
        )
    sizes = [constant(scope.letters.fix(size)) or 0 for size in scope.type(x).shape[1:]]
    channels, sides = sizes[0], sizes[1:]
    out, groups = _channels(scope, component, channels)
    pads = (_pad(component, 0), _pad(component, 1))
    places: list[int] = []
    for side, kernel, stride, dilation, pad in zip(
        sides, component.kernel, component.stride, component.dilation, pads, strict=True
    ):
        places.append((side + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1)
        if places[-1] < 1:
            scope.reject(
                "AR0308",
                "the kernel is larger than the image",
                f"{kernel} taps over {side + 2 * pad} pixels",
                field="kernel",
            )
    letters = scope.letters
    width = letters.fixed("width", out, out.said)
    each = scope.type(x).shape[1] if groups == 1 else letters.fixed("width", channels // groups)
    high, wide = (
        letters.fixed("patch", side, side.said, "taps of a filter") for side in component.kernel
    )
    rows, columns = (letters.fixed("grid", count, "", "places per side") for count in places)
    operator = Conv2d(
        width,
        each,
        high,
        wide,
        rows,
        columns,
        component.stride,
        pads,
        component.dilation,
        groups,
        component.bias,
        draws.inner(channels // groups * component.kernel[0] * component.kernel[1], out),
    )
    return scope.op(id_, operator, x)


def _pad(component: Conv, axis: int) -> int:
    if component.pad == "same":
        return component.dilation[axis] * (component.kernel[axis] - 1) // 2
    return 0 if component.pad == "valid" else int(component.pad)


def _channels(scope: Scope, component: Conv, channels: int) -> tuple[Sized, int]:
    """The channels that come out and the number of groups."""
    out = component.dim or Sized(channels)
    groups = channels if component.groups == "depthwise" else int(component.groups)
    if channels % groups or out % groups:
        scope.reject(
            "AR0309",
            "`groups` must divide the channels",
            f"{groups} groups, {channels} channels come in and {out} go out",
            field="groups",
        )
    return out, groups
