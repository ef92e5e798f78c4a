"""A look through weights for numbers that are none: NaN and infinity."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from archspec.source.diagnostic import Diagnostic
from compiler.importers.fold import listed
from compiler.importers.lazy import Lazy, numbers
from compiler.importers.problem import about_file

if TYPE_CHECKING:
    from compiler.importers.lazy import Array


def not_finite(
    sources: Mapping[str, Lazy], path: Path, progress: Callable[[int, int], None] | None = None
) -> Diagnostic | None:
    """AR0713 if tensors hold NaN or infinity; all are read once, in pieces.

    `progress` is told the bytes that are read and all that will be.
    """
    import numpy as np

    done, whole = 0, sum(tensor.nbytes for tensor in sources.values())

    def finite(piece: "Array", dtype: str) -> bool:
        nonlocal done
        done += piece.nbytes
        if progress is not None:
            progress(done, whole)
        return bool(np.isfinite(numbers(piece, dtype)).all())

    def holds(tensor: Lazy) -> bool:
        return not all(finite(piece, tensor.dtype) for piece in tensor.pieces())

    names = [name for name, tensor in sources.items() if holds(tensor)]
    if not names:
        return None
    message = "the weights hold NaN or infinity"
    hint = f"they are in {listed(names)}"
    note = "training may have diverged before these were saved"
    return about_file("AR0713", path, message, note, hint)
