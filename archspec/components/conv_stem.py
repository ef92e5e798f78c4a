"""Convolutions that shorten frames before an encoder reads them."""

from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.component import Component
from archspec.components.fields import Activation, Count, Flag, Part, numeric, whole
from archspec.components.positions import Learned, Sinusoid
from archspec.source.fault import Fault
from archspec.source.number import Sized
from archspec.source.suggest import did_you_mean

KEYS = ("kernel", "stride", "pad")
LEAST = {"kernel": 1, "stride": 1, "pad": 0}
Step = tuple[tuple[str, Sized], ...]


def steps(value: object) -> tuple[Step, ...]:
    """Convolutions one after the other, each with its kernel, stride and padding. Raises
    `Fault`."""
    if not isinstance(value, list | tuple) or not value:
        raise Fault("AR0104", "must be a list of convolutions", "as in `[{kernel: 3, stride: 2}]`")
    return tuple(step(item) for item in value)


def step(item: object) -> Step:
    written = dict(item) if isinstance(item, dict | tuple) else None
    if written is None or "kernel" not in written:
        raise Fault("AR0104", "must hold mappings with a `kernel`", "as in `{kernel: 3, pad: 1}`")
    for name in written:
        if name not in KEYS:
            raise Fault("AR0102", f"unknown key `{name}`", did_you_mean(str(name), KEYS))
    full = {"stride": 1, "pad": 0, **written}
    return tuple((name, whole(full[name], LEAST[name], 2**20)) for name in KEYS)


STEPS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {name: numeric("integer", minimum=low) for name, low in LEAST.items()},
        "required": ["kernel"],
        "additionalProperties": False,
    },
}
Steps = Annotated[tuple[Step, ...], PlainValidator(steps), WithJsonSchema(STEPS)]


class ConvStem(Component):
    """Frames [B, in_dim, T] or a sequence [B, T, in_dim] to [B, N, dim]: convolutions, each with
    `act` behind it, then positions (Whisper, Radford et al. 2023, section 2.2).

    `convs` lists `{kernel, stride, pad}`; a stride of 2 halves the number of positions.
    """

    word: ClassVar[str] = "conv_stem"
    inherits_bias: ClassVar[bool] = True
    paper: ClassVar[str] = "Radford et al. 2023"

    convs: Steps = Field(
        description="`{kernel, stride, pad}` of each convolution",
        examples=[[{"kernel": 3, "stride": 1, "pad": 1}, {"kernel": 3, "stride": 2, "pad": 1}]],
    )
    in_dim: Count = Field(description="channels of a frame", examples=[80])
    dim: Count = Field(description="width of what comes out", examples=[384])
    act: Activation = Field(description="activation behind each convolution", examples=["gelu"])
    positions: Part[Learned | Sinusoid | None] = Field(
        None, description="`{learned: n}` or `{sinusoid: {max: n}}`"
    )
    bias: Flag = Field(False, description="biases on all of them (default: `defaults.bias`)")
