"""Where ONNX Runtime runs the nodes of a model."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from archspec.source.frozen import Frozen


class Placed(Frozen):
    """A node of a loaded model.

    Attributes:
        provider: what of ONNX Runtime runs it.
        flops: of a matrix product where it was timed, 0 of anything else.
    """

    name: str
    operator: str
    provider: str
    flops: int = 0

    def document(self) -> dict[str, Any]:
        """Its name, its operator and who runs it."""
        return {"name": self.name, "operator": self.operator, "provider": self.provider}


def placements(nodes: Sequence[Placed]) -> str:
    """How many nodes each provider got, and the operators that not the first of them runs."""
    counts = Counter(node.provider for node in nodes).most_common()
    said: list[str] = []
    for provider, count in counts:
        kinds = sorted({node.operator for node in nodes if node.provider == provider})
        listed = f" ({', '.join(kinds)})" if said else ""
        said.append(f"{count} on {provider}{listed}")
    return ", ".join(said)
