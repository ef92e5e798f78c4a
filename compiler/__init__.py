"""Compiles an archspec to PyTorch source, an ONNX model and a cost report."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from archspec import Spec
    from compiler.pipeline import Program

__version__ = "0.1.0"
__all__ = ["__version__", "compile"]


def compile(spec: "Spec") -> "Program":
    """Compile a resolved spec to a program with `torch()`, `onnx(dir)`, `cost(**at)`, `verify()`.

    Raises `archspec.SpecError` where the spec's shapes do not fit together.
    """
    from compiler.pipeline import compile as compile_spec

    return compile_spec(spec)
