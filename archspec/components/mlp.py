"""The position-wise feed-forward network, plain or gated."""

from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component
from archspec.components.fields import Activation, Count, Flag


class Mlp(Component):
    """[B, T, D] to [B, T, D]: `down(act(up(x)))`, or gated `down(act(gate(x)) * up(x))`."""

    word: ClassVar[str] = "mlp"
    mixer: ClassVar[bool] = True
    inherits_bias: ClassVar[bool] = True
    positionwise: ClassVar[bool] = True
    later: ClassVar[frozenset[str]] = frozenset({"clamp", "alpha", "up_offset"})
    paper: ClassVar[str] = "Vaswani et al. 2017; gated: Shazeer 2020"

    hidden: Count = Field(description="inner width", examples=["4*d_model", 14336])
    act: Activation = Field(description="activation", examples=["gelu", "silu"])
    gated: Flag = Field(False, description="multiply by a second projection (GLU)")
    bias: Flag = Field(False, description="biases on all maps (default: `defaults.bias`)")
