"""Numbers as the words that a file has of them."""

from typing import TYPE_CHECKING, Final

from compiler.answer import CannotAnswer
from compiler.backends.onnx.listing import Element

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

LARGEST: Final = {
    Element.float32: 3.4028234663852886e38,
    Element.float16: 65504.0,
    Element.bfloat16: 3.3895313892515355e38,
}
"""The largest finite number of each type."""

LEAST: Final = {Element.float16: 2.0**-24, Element.bfloat16: 2.0**-133}
"""The least number of a type of 16 bits above zero."""


def finite_words(found: "Array", element: Element, path: str) -> "Array":
    """As `words_of`; raises CannotAnswer where a number of the tensor at `path` is NaN or infinite,
    or beyond what the type has."""
    import numpy as np

    if not float(np.abs(found).max(initial=0)) <= LARGEST[element]:
        if not np.isfinite(found).all():
            raise not_finite(path)
        raise CannotAnswer(
            f"`{path}` holds numbers beyond {LARGEST[element]:g}, the largest that {element} has",
            "`--precision bf16` has nearly those of fp32",
        )
    return words_of(found, element)


def not_finite(path: str) -> CannotAnswer:
    """Why the tensor at `path` cannot be written."""
    return CannotAnswer(
        f"`{path}` holds NaN or infinity",
        "training may have diverged before the weights were saved",
    )


def words_of(found: "Array", element: Element) -> "Array":
    """Numbers as the words of a type, rounded to the nearest, ties to even, where it is shorter."""
    import numpy as np

    if element is not Element.bfloat16:
        return found.astype("<f2" if element is Element.float16 else "<f4", copy=False)
    bits = found.astype("<f4", copy=False).view("<u4")
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    words: Array = ((bits + half) >> np.uint32(16)).astype("<u2")
    return words
