"""Recurrence: step after step along a sequence, alone or looking at a source as it goes."""

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.attend import Attend
from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Edge, Flag, Part
from archspec.components.rnn_init import RnnInit
from archspec.source.number import Sized

ONE_WAY = {"attend": "looks at its source", "init": "starts from another state"}


class Rnn(Component):
    """A recurrent network: gated (Cho et al. 2014; Hochreiter & Schmidhuber 1997) or plain.

    [B, T, D] to [B, T, `dim`], twice that where it runs both ways. Its final state is an edge of
    its own: `NAME.final`, and `NAME.final.fwd` and `NAME.final.bwd` where it runs both ways. Both
    biases are always there. The cell reads [input; `context`; what is fed back].
    """

    word: ClassVar[str] = "rnn"
    mixer: ClassVar[bool] = True
    paper: ClassVar[str] = "Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014"

    cell: Literal["gru", "lstm", "rnn"] = Field(description="`rnn` is tanh of a sum")
    dim: Count = Field(description="width of the state, each way", examples=[256, 1000])
    layers: Count = Field(
        Sized(1), description="layers, each over the states of the one below", validate_default=True
    )
    bidirectional: Flag = Field(False, description="run both ways and put the states side by side")
    init: Part[RnnInit | None] = Field(
        None, description="the first state: `zeros` (default) or another node's last"
    )
    context: Edge | None = Field(
        None, description="final state that every step reads", examples=["memory.final"]
    )
    attend: Part[Attend | None] = Field(None, description="what every step looks at")

    def conflicts(self) -> Iterator[Conflict]:
        for name, what in ONE_WAY.items():
            if self.bidirectional and getattr(self, name) is not None:
                yield Conflict(
                    "AR0108",
                    f"`{name}` does not go with `bidirectional`",
                    name,
                    f"what {what} runs one way",
                    (("bidirectional", "both ways here"),),
                )

    @property
    def start(self) -> str | None:
        """The edge that the first state comes from; None where it is zeros."""
        return self.init.from_ if self.init is not None else None

    @property
    def ways(self) -> int:
        """1, or 2 where it runs both ways."""
        return 2 if self.bidirectional else 1
