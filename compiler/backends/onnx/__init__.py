"""The ONNX back end: a program as model files, written directly and never traced."""

from compiler.backends.onnx.data import DATA
from compiler.backends.onnx.emit import DECODER, ENCODER, MODEL, Emitted, emit
from compiler.backends.onnx.properties import LOGITS, OUTPUTS, PAST, SHARES, ZEROS
from compiler.backends.onnx.text import onnx_text
from compiler.importers.hashed import File

__all__ = [
    "DATA",
    "DECODER",
    "ENCODER",
    "LOGITS",
    "MODEL",
    "OUTPUTS",
    "PAST",
    "SHARES",
    "ZEROS",
    "Emitted",
    "File",
    "emit",
    "onnx_text",
]
