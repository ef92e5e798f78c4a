"""Small tensors and the shorthand that tests of weights share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from archspec.source.diagnostic import Diagnostic
from compiler.importers.checkpoint import Checkpoint, open_checkpoint
from compiler.importers.lazy import Lazy
from compiler.importers.misfit import Misfit

Array: TypeAlias = npt.NDArray[Any]


def counted(*shape: int) -> Array:
    """A float32 tensor in which every element is different."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def lazy(array: Array) -> Lazy:
    """`array` behind a promise."""
    names = {"f2": "F16", "f4": "F32", "f8": "F64", "i8": "I64"}
    return Lazy(array.shape, names[array.dtype.str[1:]], lambda: array)


def held(tensors: Mapping[str, Array]) -> dict[str, Lazy]:
    """Arrays behind promises."""
    return {name: lazy(array) for name, array in tensors.items()}


def in_memory(tensors: Mapping[str, Array]) -> Checkpoint:
    """A checkpoint that no file holds."""
    return Checkpoint(Path("model.safetensors"), held(tensors))


def opened(path: Path) -> Checkpoint:
    """The checkpoint at `path`, which opens."""
    found = open_checkpoint(path)
    assert isinstance(found, Checkpoint), found
    return found


def refused(path: Path) -> Diagnostic:
    """The one diagnostic that opening `path` gives."""
    found = open_checkpoint(path)
    assert isinstance(found, tuple), found
    assert len(found) == 1
    return found[0]


def fits(result: Lazy | Misfit) -> Lazy:
    """The tensor that an operator gave."""
    assert isinstance(result, Lazy), result
    return result


def all_fit(result: list[Lazy] | Misfit) -> list[Lazy]:
    """The tensors that an operator gave."""
    assert isinstance(result, list), result
    return result
