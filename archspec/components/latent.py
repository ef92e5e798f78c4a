"""Multi-head latent attention: keys and values of all heads from one short vector a position."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Positive


class Latent(Component):
    """Keys and values are maps of a latent vector, which a decoder keeps instead (DeepSeek-V2).

    Its maps are called `kv_a` (to the latent vector and the part of the key that turns, which all
    heads share), `kv_norm` and `kv_b` (to the rest of every head's key and to its value), `q`, or
    `q_a`, `q_norm` and `q_b`, and `o`. A query or key is `nope_dim` + `rope_dim` wide, the turned
    coordinates last.
    """

    word: ClassVar[str] = "latent"
    paper: ClassVar[str] = "DeepSeek-AI 2024 (DeepSeek-V2), section 2.1"

    q_rank: Count | None = Field(
        None, description="width that queries are mapped through (default: none)", examples=[1536]
    )
    kv_rank: Count = Field(description="width of the latent vector", examples=[512])
    nope_dim: Count = Field(
        description="coordinates of a query or key head that do not turn", examples=[128]
    )
    rope_dim: Count = Field(
        description="coordinates that `rope` turns; all heads share the key's", examples=[64]
    )
    v_dim: Count = Field(description="width of a value head", examples=[128])
    eps: Positive = Field(1e-6, description="added under the root of `q_norm` and `kv_norm`")

    def conflicts(self) -> Iterator[Conflict]:
        if self.rope_dim % 2:
            yield Conflict(
                "AR0210",
                "rotary width must be even",
                "rope_dim",
                f"{self.rope_dim} coordinates cannot be paired",
                help=f"use {self.rope_dim - 1 or 2} or {self.rope_dim + 1}",
            )
