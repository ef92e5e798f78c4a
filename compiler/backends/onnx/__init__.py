"""The ONNX back end: a program as a model file, written directly and never traced."""

from compiler.backends.onnx.data import DATA
from compiler.backends.onnx.emit import MODEL, Emitted, emit
from compiler.backends.onnx.model import LOGITS, PAST, SHARES, ZEROS
from compiler.backends.onnx.text import onnx_text
from compiler.importers.hashed import File

__all__ = [
    "DATA",
    "LOGITS",
    "MODEL",
    "PAST",
    "SHARES",
    "ZEROS",
    "Emitted",
    "File",
    "emit",
    "onnx_text",
]
