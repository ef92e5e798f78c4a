"""Convolution over a sequence or a grid."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Flag, Pair, numeric, whole
from archspec.source.fault import Fault
from archspec.source.number import Sized


def padding(value: object) -> Sized | str:
    if value in ("same", "valid"):
        return str(value)
    if isinstance(value, str) and value.isalpha():
        raise Fault("AR0201", f"`pad` cannot be `{value}`", help="use `same`, `valid` or a number")
    return whole(value, 0, 2**20)


def grouping(value: object) -> Sized | str:
    return "depthwise" if value == "depthwise" else whole(value, 1, 2**24)


Padding = Annotated[
    Sized | str,
    PlainValidator(padding),
    WithJsonSchema({"anyOf": [{"enum": ["same", "valid"]}, numeric("integer", minimum=0)]}),
]
Groups = Annotated[
    Sized | str,
    PlainValidator(grouping),
    WithJsonSchema({"anyOf": [{"const": "depthwise"}, numeric("integer", minimum=1)]}),
]


class Conv(Component):
    """1-D over a sequence [B, T, D] or 2-D over a grid [B, D, h, w]; `dim` is its new width."""

    word: ClassVar[str] = "conv"
    mixer: ClassVar[bool] = True
    inherits_bias: ClassVar[bool] = True

    kernel: Pair = Field(description="window, one number or [h, w]", examples=[3, [3, 3]])
    dim: Count | None = Field(None, description="output width (default: the input's)")
    stride: Pair = Field((1, 1), description="step", validate_default=True)
    dilation: Pair = Field((1, 1), description="distance of the taps", validate_default=True)
    groups: Groups = Field(1, description="groups, or `depthwise`", validate_default=True)
    pad: Padding = Field("same", description="`same`, `valid` or a number on each side")
    causal: Flag = Field(False, description="pad on the left only, so that no position sees ahead")
    bias: Flag = Field(False, description="a bias (default: `defaults.bias`)")

    def conflicts(self) -> Iterator[Conflict]:
        if self.causal and self.pad != "same":
            yield Conflict(
                "AR0108",
                "`pad` does not go with `causal`",
                "pad",
                "a causal convolution pads on the left",
                (("causal", "causal here"),),
            )
        if self.pad == "same" and not self.causal and any(k % 2 == 0 for k in self.kernel):
            yield Conflict(
                "AR0212",
                "`pad: same` needs an odd kernel",
                "kernel",
                "an even window has no middle",
                (("pad", "same length wanted"),),
                help="use an odd kernel or give `pad` a number",
            )
        if self.dim and isinstance(self.groups, Sized) and self.dim % self.groups:
            yield Conflict(
                "AR0213",
                "`groups` must divide `dim`",
                "groups",
                f"{self.groups} does not divide {self.dim}",
                (("dim", f"{self.dim} channels"),),
            )
