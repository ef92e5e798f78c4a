"""Pictures of a program: Mermaid, DOT and SVG."""

from compiler.backends.view.drawing import draw, outlined

__all__ = ["draw", "outlined"]
