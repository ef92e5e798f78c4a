"""A pool that asks: attention of one learned query over a sequence."""

from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component
from archspec.components.fields import Count
from archspec.components.letters import BiasLetters


class AttentionPool(Component):
    """[B, T, D] to [B, D]: multi-head attention from a learned query (Lee et al. 2019, section 3.2;
    SigLIP's head, Zhai et al. 2023)."""

    word: ClassVar[str] = "attention_pool"
    inherits_bias: ClassVar[bool] = True
    paper: ClassVar[str] = "Lee et al. 2019"

    heads: Count = Field(description="heads", examples=[12])
    head_dim: Count | None = Field(None, description="width of a head (default: width / heads)")
    bias: BiasLetters = Field(
        frozenset(),
        description="which of q, k, v, o have a bias (default: `defaults.bias`)",
        json_schema_extra={"default": False},
    )
