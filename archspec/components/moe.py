"""A mixture of experts: feed-forward networks of which a token goes to a few."""

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Part
from archspec.components.mlp import Mlp
from archspec.components.router import Router
from archspec.components.shared import Shared


class Moe(Component):
    """[B, T, D] to [B, T, D]: a token goes to the `top_k` experts that its router scores highest.

    What they make of it is mixed by the router's shares. No token is dropped, unless in training a
    `capacity` says so. Experts are alike in form and have weights of their own.
    """

    word: ClassVar[str] = "moe"
    mixer: ClassVar[bool] = True
    positionwise: ClassVar[bool] = True
    paper: ClassVar[str] = "Shazeer et al. 2017; Fedus et al. 2022; Jiang et al. 2024"

    experts: Count = Field(description="how many there are", examples=[8])
    top_k: Count = Field(description="how many of them a token goes to", examples=[2])
    expert: Part[Mlp] = Field(description="the form of each expert, the fields of an `mlp`")
    shared: Part[Shared | None] = Field(
        None,
        description="what every token passes beside its experts: the fields of an `mlp`, and "
        "`token_gate`",
    )
    router: Part[Router] = Field(
        default_factory=Router,
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
        yield from self._groups()

    def _groups(self) -> Iterator[Conflict]:
        """Groups are equal, and those a token may choose from hold as many experts as it needs."""
        groups, kept = self.router.groups, self.router.top_groups
        if groups is None or kept is None:
            return
        size = self.experts // groups
        of_experts = (("experts", f"of {self.experts} experts"),)
        if self.experts % groups:
            yield _misfit("`groups` must divide `experts`", "groups", "not equal", of_experts)
        elif kept > groups:
            of_groups = (("router.groups", f"of {groups}"),)
            message = "`top_groups` must not exceed `groups`"
            yield _misfit(message, "top_groups", f"there are no {kept}", of_groups)
        elif size < 2 and self.router.group_score == "top2":
            message = "`group_score: top2` needs two experts in a group"
            yield _misfit(message, "groups", "one in each", of_experts)
        elif kept * size < self.top_k:
            message = "the groups of a token must hold `top_k` experts"
            wanted = (("top_k", f"a token goes to {self.top_k}"),)
            yield _misfit(message, "top_groups", f"{kept * size} experts", wanted)


def _misfit(message: str, at: str, label: str, others: tuple[tuple[str, str], ...]) -> Conflict:
    return Conflict("AR0250", message, f"router.{at}", label, others)
