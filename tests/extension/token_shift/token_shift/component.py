"""What a spec says: `shift: {token_shift: {start: 0.25}}`."""

from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component
from archspec.components.fields import Rate


class TokenShift(Component):
    """[B, T, D] to [B, T, D]: each position mixed with the one before it, channel by channel."""

    word: ClassVar[str] = "token_shift"
    mixer: ClassVar[bool] = True
    paper: ClassVar[str] = "Peng et al. 2023"

    start: Rate = Field(0.5, description="share of the position itself before training")
