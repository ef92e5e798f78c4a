"""Tables of the vocabulary, of which every tensor rank has some rows."""

from compiler.ir.graph import Node
from compiler.ir.letters import Letters
from compiler.ir.size import as_poly, letter
from compiler.ops import Embedding, Linear, SharedEmbedding, SharedLinear


def reads_vocabulary(node: Node) -> bool:
    """Whether it looks rows up."""
    return isinstance(node.what, Embedding | SharedEmbedding)


def scores_vocabulary(node: Node, key: Letters) -> bool:
    """Whether it maps to the vocabulary: each rank makes the scores of its rows."""
    what = node.what
    if isinstance(what, SharedLinear):
        return True
    names = {name for name, known in key.key.items() if known.role == "vocabulary"}
    return isinstance(what, Linear) and any(as_poly(what.O) == letter(name) for name in names)
