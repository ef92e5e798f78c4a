"""The ONNX back end: a program as a model file, written directly and never traced."""

from compiler.backends.onnx.data import File
from compiler.backends.onnx.emit import MODEL, Emitted, emit
from compiler.backends.onnx.model import DATA, ZEROS
from compiler.backends.onnx.text import onnx_text

__all__ = ["DATA", "MODEL", "ZEROS", "Emitted", "File", "emit", "onnx_text"]
