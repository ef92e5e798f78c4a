"""Where ONNX Runtime runs the nodes of a model."""

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
