"""How the tokens of a mixture choose their experts."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.aux_loss import AuxLoss
from archspec.components.component import Component, Conflict
from archspec.components.fields import Flag


class Router(Component):
    """A linear map from a token to a score an expert; the highest scores choose and weigh.

    `score: softmax` makes scores probabilities over all experts, `after_topk` over the chosen.
    """

    word: ClassVar[str] = "router"
    later: ClassVar[frozenset[str]] = frozenset(
        {
            "renorm_eps",
            "scale",
            "correction",
            "groups",
            "top_groups",
            "group_score",
            "weigh",
            "jitter",
            "capacity",
        }
    )
    later_values: ClassVar[frozenset[str]] = frozenset({"sigmoid"})
    none_says: ClassVar[frozenset[str]] = frozenset({"score", "after_topk"})
    paper: ClassVar[str] = "Shazeer et al. 2017"

    score: Literal["softmax", "none"] = Field(
        "softmax", description="what is made of all logits before the choice"
    )
    after_topk: Literal["none", "softmax"] = Field(
        "none", description="what is made of the chosen scores"
    )
    renorm: Flag = Field(False, description="let the chosen scores add up to one")
    bias: Flag = Field(False, description="a bias on the map (never inherited)")
    aux_loss: AuxLoss | None = Field(None, description="weights of losses that training adds")

    def conflicts(self) -> Iterator[Conflict]:
        if self.score == "none" and self.after_topk == "none":
            yield Conflict(
                "AR0108",
                "a router needs a score",
                "score",
                "bare logits are no weights of a mixture",
                (("after_topk", "and none here"),),
                help="use `score: softmax` or `after_topk: softmax`",
            )
