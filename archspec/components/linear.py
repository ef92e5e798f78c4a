"""A linear map of the last axis."""

from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component
from archspec.components.fields import Activation, Count, Flag


class Linear(Component):
    """[…, D] to […, `dim`], with an activation behind it where asked."""

    word: ClassVar[str] = "linear"
    inherits_bias: ClassVar[bool] = True
    positionwise: ClassVar[bool] = True

    dim: Count = Field(description="output width", examples=[1000])
    act: Activation | None = Field(None, description="activation behind the map")
    bias: Flag = Field(False, description="a bias (default: `defaults.bias`)")
