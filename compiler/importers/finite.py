"""A look through weights for numbers that are none: NaN and infinity."""

from collections.abc import Mapping
from pathlib import Path

from archspec.source.diagnostic import Diagnostic
from compiler.importers.fold import listed
from compiler.importers.lazy import Lazy, numbers
from compiler.importers.problem import about_file


def not_finite(sources: Mapping[str, Lazy], path: Path) -> Diagnostic | None:
    """AR0713 if tensors hold NaN or infinity; all are read once, in pieces."""
    import numpy as np

    def holds(tensor: Lazy) -> bool:
        return not all(np.isfinite(numbers(p, tensor.dtype)).all() for p in tensor.pieces())

    names = [name for name, tensor in sources.items() if holds(tensor)]
    if not names:
        return None
    message = "the weights hold NaN or infinity"
    hint = f"they are in {listed(names)}"
    note = "training may have diverged before these were saved"
    return about_file("AR0713", path, message, note, hint)
