"""What a recurrent decoder looks at before or behind each of its steps."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Edge, Flag


class Attend(Component):
    """Attention of a recurrence over a source, one step at a time.

    A score of the state with each source position, a softmax over the source, the mixture of the
    source. `score` is vᵀ·tanh(W·s + U·m) (additive), sᵀ·W·m (general), sᵀ·m (dot) or that by the
    root of the width (scaled_dot). `query: previous, feed: input` is Bahdanau et al. 2015, eq. 4-6:
    the state before the step asks and the cell reads the mixture. `query: current, feed: combine`
    is Luong et al. 2015, eq. 5-7: the state behind the step asks, and tanh(W·[mixture; state]),
    `dim` wide, goes on; with `input_feeding` the next step reads that too (section 3.3).
    """

    word: ClassVar[str] = "attend"
    paper: ClassVar[str] = "Bahdanau et al. 2015; Luong et al. 2015"

    source: Edge = Field(description="node that is looked at", examples=["memory"])
    score: Literal["additive", "general", "dot", "scaled_dot"] = Field(
        description="how a state and a source position are compared"
    )
    dim: Count | None = Field(
        None, description="width of the additive score, or of what `combine` gives"
    )
    query: Literal["previous", "current"] = Field(
        description="the state that asks: before the step or behind it"
    )
    feed: Literal["input", "combine"] = Field(
        description="where the mixture goes: into the cell, or to the state behind it"
    )
    combine: Literal["tanh"] = Field("tanh", description="function of the combined vector")
    input_feeding: Flag = Field(False, description="the next step reads the combined vector too")

    def conflicts(self) -> Iterator[Conflict]:
        if self.dim is None and (self.score == "additive" or self.feed == "combine"):
            needs = "feed" if self.feed == "combine" else "score"
            yield Conflict(
                "AR0101",
                "`attend` lacks the key `dim`",
                needs,
                "this needs a width",
                help="add `dim: WIDTH`",
            )
        if self.query == "current" and self.feed == "input":
            yield Conflict(
                "AR0108",
                "`query: current` does not go with `feed: input`",
                "query",
                "known when the cell has run",
                (("feed", "wanted before it runs"),),
                help="write `query: previous` or `feed: combine`",
            )
        if self.input_feeding and self.feed == "input":
            yield Conflict(
                "AR0108",
                "`input_feeding` needs `feed: combine`",
                "input_feeding",
                "feeds the combined vector back",
                (("feed", "nothing is combined"),),
            )
