"""Where in a model an operator stands: how its nodes and its parameters are called."""

from dataclasses import dataclass

from compiler.ir.program import join


@dataclass(frozen=True)
class Spot:
    """A place in the expanded model.

    Attributes:
        nodes: the path of its ONNX nodes, as `/h/3/attn`.
        owner: the path of its parameters, as `h.3.attn`; another one where layers share weights.
        copies: how many sets of parameters a folded listing means by it.
    """

    nodes: str = ""
    owner: str = ""
    copies: int = 1

    def below(self, name: str) -> "Spot":
        """The place called `name` in this one."""
        return Spot(f"{self.nodes}/{name}", join(self.owner, name), self.copies)

    def layer(self, nodes: str, owner: str, copies: int = 1) -> "Spot":
        """A layer, or the layers `0..12`, of the stack that stands here."""
        return Spot(f"{self.nodes}/{nodes}", join(self.owner, owner), self.copies * copies)
