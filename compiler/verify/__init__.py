"""Proof that what was generated agrees: PyTorch with ONNX Runtime, counts, names with shapes."""

from compiler.verify.precision import verify_precision
from compiler.verify.proof import agreement, verify
from compiler.verify.verdict import Check, Verdict

__all__ = ["Check", "Verdict", "agreement", "verify", "verify_precision"]
