"""The position-wise feed-forward network, plain or gated."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Activation, Count, Flag, Positive, Real


class Mlp(Component):
    """[B, T, D] to [B, T, D]: `down(act(up(x)))`, or gated `down(act(gate(x)) * up(x))`.

    The clamped unit (OpenAI 2025) keeps the gate at most `clamp` and the other map within it on
    both sides, and multiplies by that map plus `up_offset`; `alpha` is the slope of the sigmoid in
    SiLU.
    """

    word: ClassVar[str] = "mlp"
    mixer: ClassVar[bool] = True
    inherits_bias: ClassVar[bool] = True
    positionwise: ClassVar[bool] = True
    paper: ClassVar[str] = "Vaswani et al. 2017; gated: Shazeer 2020"

    hidden: Count = Field(description="inner width", examples=["4*d_model", 14336])
    act: Activation = Field(description="activation", examples=["gelu", "silu"])
    gated: Flag = Field(False, description="multiply by a second projection (GLU)")
    bias: Flag = Field(False, description="biases on all maps (default: `defaults.bias`)")
    clamp: Positive | None = Field(
        None, description="limit of the gate from above and of the other map on both sides"
    )
    alpha: Positive | None = Field(
        None, description="slope of the sigmoid in `silu`: x * sigmoid(alpha * x)", examples=[1.702]
    )
    up_offset: Real = Field(0.0, description="what is added to the map that the gate multiplies")

    def conflicts(self) -> Iterator[Conflict]:
        if self.alpha is not None and self.act != "silu":
            yield Conflict(
                "AR0251",
                "`alpha` is a setting of `act: silu`",
                "alpha",
                "there is no sigmoid here with this slope",
                (("act", "the activation"),),
                help="use `act: silu`, or leave `alpha` out",
            )
        for name in ("clamp", "alpha", "up_offset"):
            if getattr(self, name) and not self.gated:
                yield Conflict(
                    "AR0251",
                    f"`{name}` is a setting of a gated network",
                    name,
                    "there is no gate here",
                    (("gated", "none here"),),
                    help=f"use `gated: true`, or leave `{name}` out",
                )
