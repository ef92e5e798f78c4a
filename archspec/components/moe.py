"""A mixture of experts: feed-forward networks of which a token goes to a few."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count
from archspec.components.mlp import Mlp
from archspec.components.router import Router


class Moe(Component):
    """[B, T, D] to [B, T, D]: a token goes to the `top_k` experts that its router scores highest.

    What they make of it is mixed by the router's shares. No token is dropped. Experts are alike in
    form and have weights of their own.
    """

    word: ClassVar[str] = "moe"
    mixer: ClassVar[bool] = True
    positionwise: ClassVar[bool] = True
    later: ClassVar[frozenset[str]] = frozenset({"shared"})
    paper: ClassVar[str] = "Shazeer et al. 2017; Fedus et al. 2022; Jiang et al. 2024"

    experts: Count = Field(description="how many there are", examples=[8])
    top_k: Count = Field(description="how many of them a token goes to", examples=[2])
    expert: Mlp = Field(description="the form of each expert, the fields of an `mlp`")
    router: Router = Field(
        Router(),
        description="how tokens choose",
        json_schema_extra={"default": {"score": "softmax"}},
    )

    def conflicts(self) -> Iterator[Conflict]:
        if self.top_k > self.experts:
            yield Conflict(
                "AR0216",
                "`top_k` must not exceed `experts`",
                "top_k",
                f"a token cannot go to {self.top_k}",
                (("experts", f"of {self.experts}"),),
                help=f"use 1 to {self.experts}",
            )
