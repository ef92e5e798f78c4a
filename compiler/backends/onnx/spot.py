"""Where in a model an operator stands: how its nodes and its parameters are called."""

from dataclasses import dataclass, replace

from archspec.source.span import NOWHERE, Span
from compiler.ir.program import join


@dataclass(frozen=True)
class Spot:
    """A place in the expanded model.

    Attributes:
        nodes: the path of its ONNX nodes, as `/h/3/attn`.
        owner: the path of its parameters, as `h.3.attn`; another one where layers share weights.
        copies: how many sets of parameters a folded listing means by it.
        span: the place of the spec that says it.
    """

    nodes: str = ""
    owner: str = ""
    copies: int = 1
    span: Span = NOWHERE

    def below(self, name: str, span: Span = NOWHERE) -> "Spot":
        """The place called `name` in this one, which the spec says at `span` where it does."""
        said = self.span if span == NOWHERE else span
        return replace(self, nodes=f"{self.nodes}/{name}", owner=join(self.owner, name), span=said)

    def layer(self, nodes: str, owner: str, copies: int = 1) -> "Spot":
        """A layer, or the layers `0..12`, of the stack that stands here."""
        below, sets = join(self.owner, owner), self.copies * copies
        return replace(self, nodes=f"{self.nodes}/{nodes}", owner=below, copies=sets)
