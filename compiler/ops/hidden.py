"""Scores of attention that a mask hides, as ONNX values."""

from typing import Any

from compiler.ir.rules import Builder
from compiler.ops.mixture import LOWEST


def hidden(b: Builder, scores: Any) -> Any:
    """Scores or a bias of them, out of reach where a query may not look."""
    return b.op("Where", b.seen, scores, b.number(LOWEST)) if b.has("seen") else scores
