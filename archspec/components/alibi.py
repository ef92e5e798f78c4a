"""Attention with linear biases: far keys count less, by a slope of each head."""

from typing import ClassVar

from pydantic import Field

from archspec.components.fields import Flag, Positive
from archspec.components.position_bias import PositionBias


class Alibi(PositionBias):
    """Minus a slope times the distance of query and key (Press et al. 2022, section 3).

    Head h of H has the slope 2^(-max_bias (h+1) / H). Where H is no power of two, slopes are those
    of the next power N: every second one, then the ones between, until there are H (appendix A.2).
    """

    word: ClassVar[str] = "alibi"
    paper: ClassVar[str] = "Press et al. 2022"

    max_bias: Positive = Field(8.0, description="the flattest slope is 2^-max_bias")
    scaled: Flag = Field(
        False,
        description="multiply by head_dim ** -0.5 too, as where the bias joins before the scaling",
    )
