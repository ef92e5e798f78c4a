"""Numbers as the words that a file has of them."""

from typing import TYPE_CHECKING

from compiler.backends.onnx.listing import Element

if TYPE_CHECKING:
    from compiler.importers.lazy import Array


def words_of(found: "Array", element: Element) -> "Array":
    """Numbers as the words of a type, rounded to the nearest, ties to even, where it is shorter."""
    import numpy as np

    if element is not Element.bfloat16:
        return found.astype("<f2" if element is Element.float16 else "<f4", copy=False)
    bits = found.astype("<f4", copy=False).view("<u4")
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    words: Array = ((bits + half) >> np.uint32(16)).astype("<u2")
    return words
