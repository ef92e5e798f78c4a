"""Compiles an archspec to PyTorch source, an ONNX model and a cost report."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from archspec import Spec
    from compiler.pipeline import Program

__version__ = "0.1.0"
__all__ = ["__version__", "compile"]


def compile(spec: "Spec") -> "Program":
    """Compile a resolved spec; the program gives `.torch()`, `.onnx(dir)`, `.cost(**at)` and `.verify()`.

    Raises `archspec.SpecError` where the spec's shapes do not fit together.
    """
    from compiler.pipeline import compile as compile_spec

    return compile_spec(spec)
