"""From components to operators: one file for each component, as in `archspec.components`."""

from compiler.lower.program import lower

__all__ = ["lower"]
