"""The ONNX back end: a program as a model file, written directly and never traced."""

from compiler.backends.onnx.emit import Emitted, File, emit
from compiler.backends.onnx.text import onnx_text

__all__ = ["Emitted", "File", "emit", "onnx_text"]
