"""Several values side by side."""

from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.component import Component


class Concat(Component):
    """Joins the values of `in: [a, b]` along the feature or the position axis."""

    word: ClassVar[str] = "concat"

    axis: Literal["feature", "position"] = Field("feature", description="axis that grows")
