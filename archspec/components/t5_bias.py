"""Learned biases of distances in buckets: exact when near, by logarithm when far."""

from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.fields import Count, Flag
from archspec.components.position_bias import PositionBias


class T5Bias(PositionBias):
    """A learned number for each head and bucket of distances (Raffel et al. 2020, section 2.1).

    Half of the buckets hold one distance each, the others grow up to `max_distance`; beyond it all
    share the last one.
    """

    word: ClassVar[str] = "t5"
    paper: ClassVar[str] = "Raffel et al. 2020"

    buckets: Count = Field(description="rows of the table", examples=[32])
    max_distance: Count = Field(description="from where on all share the last one", examples=[128])
    bidirectional: Flag | None = Field(
        None,
        description="half of the buckets for keys ahead of the query (default: not `mask: causal`)",
    )
    per: Literal["stack", "layer"] = Field(
        "stack", description="one table for all layers, or a table for each"
    )
