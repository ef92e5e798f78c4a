"""How the tokens of a mixture choose their experts."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.aux_loss import AuxLoss, Weight
from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Flag, Part, Positive, Rate, Real


class Router(Component):
    """A linear map from a token to a score an expert; the highest scores choose and weigh.

    `score: softmax` makes scores probabilities over all experts, `after_topk` over the chosen;
    `sigmoid` looks at each by itself. The order is fixed: score, plus `correction`, the best
    `top_groups` of the groups, the best `top_k` experts within them, `after_topk` or the plain
    score, `renorm`, `scale`. `jitter` and `capacity` act in training alone.
    """

    word: ClassVar[str] = "router"
    none_says: ClassVar[frozenset[str]] = frozenset({"score", "after_topk"})
    paper: ClassVar[str] = "Shazeer et al. 2017; groups: DeepSeek-AI 2024"

    score: Literal["softmax", "sigmoid", "none"] = Field(
        "softmax", description="what is made of all logits before the choice"
    )
    after_topk: Literal["none", "softmax", "sigmoid"] = Field(
        "none", description="what is made of the chosen scores"
    )
    renorm: Flag = Field(False, description="let the chosen scores add up to one")
    renorm_eps: Weight = Field(0.0, description="added to the sum that `renorm` divides by")
    scale: Real = Field(1.0, description="factor of every share", examples=[2.5])
    bias: Flag = Field(False, description="a bias on the map (never inherited)")
    correction: Flag = Field(
        False,
        description="a number an expert that the choice adds to its score and the share does not; "
        "kept with the weights, no gradient reaches it (Wang et al. 2024)",
    )
    groups: Count | None = Field(None, description="equal groups of neighbouring experts")
    top_groups: Count | None = Field(None, description="how many of them a token may choose from")
    group_score: Literal["max", "top2"] = Field(
        "max", description="a group is as good as its best expert, or as the sum of its best two"
    )
    weigh: Literal["output", "input"] = Field(
        "output", description="what a share multiplies: the expert's output, or its input"
    )
    jitter: Rate = Field(
        0.0,
        description="in training the map reads the token times noise within 1 - and 1 + this "
        "(Fedus et al. 2022)",
    )
    capacity: Positive | None = Field(
        None,
        description="in training an expert keeps the first choices of it up to this many times an "
        "even part of all (Lepikhin et al. 2021); those beyond weigh nothing. Else none is dropped",
        examples=[1.25],
    )
    aux_loss: Part[AuxLoss | None] = Field(None, description="weights of losses that training adds")

    def conflicts(self) -> Iterator[Conflict]:
        if self.score == "none" and self.after_topk == "none":
            yield Conflict(
                "AR0108",
                "a router needs a score",
                "score",
                "bare logits are no weights of a mixture",
                (("after_topk", "and none here"),),
                help="use `score: softmax`, or `after_topk: softmax`, or `sigmoid` in either",
            )
        if self.capacity is not None and self.weigh == "input":
            yield Conflict(
                "AR0108",
                "`capacity` needs shares of the output",
                "capacity",
                "a choice beyond it weighs nothing in the sum",
                (("weigh", "here the sum has no weights"),),
                help="use `weigh: output`, or leave `capacity` out",
            )
        yield from self._alone()

    def _alone(self) -> Iterator[Conflict]:
        """Settings of what is not there."""
        if self.groups is not None and self.top_groups is None:
            yield _without("groups", "top_groups", "of how many of them may a token choose?")
        if self.top_groups is not None and self.groups is None:
            yield _without("top_groups", "groups", "of how many?")
        if self.group_score != "max" and self.groups is None:
            yield _without("group_score", "groups", "there are no groups")
        if self.renorm_eps and not self.renorm:
            yield _without("renorm_eps", "renorm", "nothing is divided here")


def _without(name: str, other: str, label: str) -> Conflict:
    return Conflict(
        "AR0251",
        f"`{name}` needs `{other}`",
        name,
        label,
        help=f"add `{other}`, or leave `{name}` out",
    )
