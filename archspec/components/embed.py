"""Token embedding: ids to vectors, with positions, types, norm and projection where asked."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Edge, Flag, Natural, Part, Real
from archspec.components.norm import Norm
from archspec.components.positions import Learned, Sinusoid


class Embed(Component):
    """Tokens [B, T] to vectors [B, T, D].

    In this order: row of the token, times `scale`, + positions, + type row, `norm`, zeros at
    padding with `mask_pads`, `project`. With `share` the token table belongs to another `embed`,
    which gives `vocab` and `dim`.
    """

    word: ClassVar[str] = "embed"
    positionwise: ClassVar[bool] = True

    vocab: Count | None = Field(None, description="rows of the token table", examples=[50257])
    dim: Count | None = Field(None, description="width of the token table", examples=[768])
    project: Count | None = Field(
        None, description="width after a linear map behind a narrow table (ALBERT)"
    )
    scale: Real = Field(1.0, description="factor on the token's row", examples=["sqrt(d_model)"])
    round_scale: Flag = Field(
        False, description="the factor is rounded to the type of the row first (Gemma)"
    )
    norm: Part[Norm | None] = Field(None, description="norm after everything was added")
    types: Natural = Field(
        0, description="rows of a segment-type table (BERT has 2)", validate_default=True
    )
    positions: Part[Learned | Sinusoid | None] = Field(
        None, description="`{learned: n}` or `{sinusoid: {max: n}}`"
    )
    share: Edge | None = Field(None, description="the `embed` whose token table is used")

    mask_pads: Flag = Field(False, description="zeros where the input is padding (DeBERTa)")

    def conflicts(self) -> Iterator[Conflict]:
        if self.round_scale and self.scale == 1.0:
            yield Conflict(
                "AR0108",
                "`round_scale` needs a factor",
                "round_scale",
                "what is rounded?",
                help="write `scale`, or take `round_scale` away",
            )
        if self.share is None:
            return
        for name in ("vocab", "dim"):
            if getattr(self, name) is not None:
                yield Conflict(
                    "AR0108",
                    f"`{name}` does not go with `share`",
                    name,
                    "comes with the shared table",
                    (("share", "shared here"),),
                    help=f"take `{name}` away",
                )
