"""Attention that sharpens with the position of the query."""

from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component
from archspec.components.fields import Count, Positive


class Temperature(Component):
    """Queries at position t multiplied by 1 + scale * ln(1 + floor((t + 1) / floor)).

    Long contexts keep attention sharp (Nakanishi 2025; Llama 4, on layers without positions).
    """

    word: ClassVar[str] = "temperature"
    paper: ClassVar[str] = "Nakanishi 2025; Llama 4"

    scale: Positive = Field(description="how fast it grows", examples=[0.1])
    floor: Count = Field(description="positions that share one factor", examples=[8192])
