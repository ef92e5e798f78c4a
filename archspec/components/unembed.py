"""Vectors to logits over a vocabulary, with a table of its own or the embedding's."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Edge, Flag, Positive, Real


class Unembed(Component):
    """[B, T, D] to [B, T, V]: times `in_scale`, `project`, the table, + bias, times `scale`,
    bent to stay below `softcap`.

    `tie` names the `embed` whose table is used (Press & Wolf 2017); it then gives `vocab`.
    """

    word: ClassVar[str] = "unembed"
    positionwise: ClassVar[bool] = True
    later: ClassVar[frozenset[str]] = frozenset({"adaptive"})
    paper: ClassVar[str] = "tying: Press & Wolf 2017"

    vocab: Count | None = Field(None, description="rows of a table of its own", examples=[128256])
    tie: Edge | None = Field(None, description="the `embed` whose table is used", examples=["tok"])
    bias: Flag = Field(False, description="a bias on the logits; not inherited from `defaults`")
    project: Count | None = Field(None, description="width of a linear map before the table")
    in_scale: Real = Field(1.0, description="factor on the input", examples=["d_model**-0.5"])
    scale: Real = Field(1.0, description="factor on the logits")
    softcap: Positive | None = Field(
        None, description="largest logit: `softcap * tanh(logits / softcap)`", examples=[30.0]
    )

    def conflicts(self) -> Iterator[Conflict]:
        if self.vocab is not None and self.tie is not None:
            yield Conflict(
                "AR0206",
                "`unembed` has a table of its own or a tied one",
                "tie",
                "tied here",
                (("vocab", "its own here"),),
                help="keep `tie` or `vocab`",
            )
        if self.vocab is None and self.tie is None:
            yield Conflict(
                "AR0206",
                "`unembed` needs a table",
                "vocab",
                "whose table?",
                help="write `tie: NAME` for the embedding's table or `vocab: n` for its own",
            )
