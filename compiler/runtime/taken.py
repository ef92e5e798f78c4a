"""Arrays held against what a model takes: names, shapes and kinds of numbers."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compiler.runtime.kept import Array


def lengths_of(
    given: "Mapping[str, Array]", taken: Mapping[str, tuple[Any, ...]], optional: Collection[str]
) -> dict[str | int, int]:
    """What each letter in the shapes of inputs is.

    Raises ValueError where an array has another shape than `taken` has under its name, is not among
    these, or is missing and not `optional`.
    """
    unknown = [name for name in given if name not in taken]
    missing = [name for name in taken if name not in given and name not in optional]
    if unknown or missing:
        takes = ", ".join(taken)
        raise ValueError(f"the model takes {takes}; not known {unknown}, missing {missing}")
    found: dict[str | int, int] = {}
    for name, array in given.items():
        shape = taken[name]
        fits = len(shape) == array.ndim and all(
            found.setdefault(size, length) == length
            if isinstance(size, str)
            else size in (length, None)
            for size, length in zip(shape, array.shape, strict=True)
        )
        if not fits:
            raise ValueError(f"`{name}` is {_said(shape, found)}, not {_said(array.shape, {})}")
    return found


def of_kind(kind: str, name: str, array: "Array") -> "Array":
    """The array of an input in a kind of number.

    Raises ValueError where it is of another sort, or a number is beyond those of the kind.
    """
    import numpy as np

    try:
        with np.errstate(over="raise"):
            made = array.astype(kind, order="C", casting="same_kind", copy=False)
    except TypeError as error:
        raise ValueError(f"`{name}` is {kind}, not {array.dtype}") from error
    except FloatingPointError as error:
        raise ValueError(f"`{name}` has numbers beyond those of {kind}") from error
    # Integers that do not fit are no error to numpy: their upper bits are left out.
    if made.dtype.kind in "iu" and made is not array and (made != array).any():
        raise ValueError(f"`{name}` has numbers beyond those of {kind}")
    return made


def _said(shape: tuple[Any, ...], known: Mapping[str | int, int]) -> str:
    """A shape with the lengths that are known: `[B, 2, T=3]`."""
    sizes = (f"{size}={known[size]}" if size in known else str(size) for size in shape)
    return f"[{', '.join(sizes)}]"
