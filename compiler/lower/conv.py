"""Convolution over a sequence or over an image."""

from archspec.components.conv import Conv
from archspec.source.number import Sized
from compiler.ir.graph import Value
from compiler.ir.size import constant
from compiler.lower.draws import Draws
from compiler.lower.scope import Scope
from compiler.ops import Conv1d, Conv2d


def conv(
    scope: Scope, id_: str, component: Conv, x: Value, draws: Draws, padded: bool = False
) -> Value:
    """[B, T, D] to [B, T, dim], or [B, C, h, w] to [B, dim, h', w'].

    Rejects a sequence that is `padded` where the filter would reach from padding into real places.
    """
    rank = len(scope.type(x).shape)
    if padded and component.kernel[0] > 1:
        scope.reject(
            "AR0390",
            "a convolution over a padded sequence is not of this version",
            "padding would reach into real positions",
            "leave `padded` out, or use `kernel: 1`",
            field="kernel",
        )
    if rank not in (3, 4):
        scope.reject("AR0307", "`conv` takes a sequence or an image", f"this has {rank} dimensions")
    return (_over_sequence if rank == 3 else _over_image)(scope, id_, component, x, draws)


def _over_sequence(scope: Scope, id_: str, component: Conv, x: Value, draws: Draws) -> Value:
    taps, dilation = component.kernel[0], component.dilation[0]
    reach = (taps - 1) * dilation
    if component.kernel[0] != component.kernel[1]:
        scope.reject(
            "AR0307", "a sequence has one axis to move along", "two are given", field="kernel"
        )
    pad = reach // 2 if component.pad == "same" else component.pad
    if component.stride != (1, 1) or (
        not component.causal and (pad == "valid" or 2 * int(pad) != reach)
    ):
        scope.reject(
            "AR0390",
            "a convolution that changes the number of positions is not of this version",
            "keep `stride: 1` and `pad: same`",
        )
    before, after = (reach, 0) if component.causal else (reach // 2, reach // 2)
    channels = scope.width(x)
    out, groups = _channels(scope, component, channels)
    width = scope.letters.fixed("width", out, out.said)
    each = (
        scope.letters.fixed("width", channels // groups) if groups > 1 else scope.type(x).shape[-1]
    )
    kernel = scope.letters.fixed("patch", taps, taps.said, "taps of a filter")
    init = draws.inner(channels // groups * taps, out)
    operator = Conv1d(width, each, kernel, before, after, dilation, groups, component.bias, init)
    return scope.op(id_, operator, x)


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
