"""Rotary position embedding of queries and keys."""

from collections.abc import Iterator
from math import isclose
from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Part, Positive, Rate
from archspec.components.rope_scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongropeScaling,
    ProportionalScaling,
    YarnScaling,
)


class Rope(Component):
    """Su et al. 2021: pairs of coordinates turn by angles that grow with the position."""

    word: ClassVar[str] = "rope"
    later: ClassVar[frozenset[str]] = frozenset({"axes"})
    paper: ClassVar[str] = "Su et al. 2021"

    theta: Positive = Field(10000.0, description="base of the wavelengths", examples=[500000])
    fraction: Rate = Field(1.0, description="share of the head width that turns")
    dim: Count | None = Field(None, description="coordinates that turn, instead of `fraction`")
    pairs: Literal["halves", "adjacent"] = Field(
        "halves", description="coordinate i turns with i + dim/2, or with its neighbour"
    )
    scaling: Part[
        LinearScaling
        | DynamicScaling
        | Llama3Scaling
        | YarnScaling
        | LongropeScaling
        | ProportionalScaling
        | None
    ] = Field(None, description="how the angles fit longer sequences than those of training")

    def turning(self, head_dim: int) -> float:
        """How many coordinates of a head turn; an even whole number where the head fits."""
        if self.dim is not None:
            return self.dim
        width = self.fraction * head_dim
        return round(width) if isclose(width, round(width), rel_tol=1e-9) else width

    def conflicts(self) -> Iterator[Conflict]:
        if self.fraction == 0:
            yield Conflict(
                "AR0202", "`fraction` must be greater than 0", "fraction", "nothing would turn"
            )
        if self.dim is not None and self.dim % 2:
            yield Conflict(
                "AR0210",
                "rotary width must be even",
                "dim",
                f"{self.dim} coordinates cannot be paired",
                help=f"use {self.dim - 1 or 2} or {self.dim + 1}",
            )
        if self.dim is not None and self.fraction != 1:
            yield Conflict(
                "AR0206",
                "`dim` and `fraction` say the same thing",
                "dim",
                "the width here",
                (("fraction", "and as a share here"),),
                help="keep one of them",
            )
