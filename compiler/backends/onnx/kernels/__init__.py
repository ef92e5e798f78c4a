"""Which operators ONNX Runtime can run on which provider for which element types.

`VERSION.json` beside this file is what that version of the runtime says of itself; `python -m
compiler.backends.onnx.kernels` asks the runtime that is installed and writes its file anew.
"""

from compiler.backends.onnx.kernels.table import Kernel, Schema, Table, kept_versions, table

__all__ = ["Kernel", "Schema", "Table", "kept_versions", "table"]
