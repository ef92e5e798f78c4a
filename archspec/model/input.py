"""What a model is given: token ids, an image, features, a set of vectors, a mask, a count a row."""

from typing import Literal, get_args

from archspec.source.frozen import Frozen
from archspec.source.number import Sized
from archspec.source.span import Span

Kind = Literal["tokens", "image", "frames", "vectors", "features", "mask", "count"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PACKED: tuple[Kind, ...] = ("tokens", "features")
"""Kinds whose rows may hold several documents: they have an order that can begin anew."""

SHAPES: dict[Kind, str] = {
    "tokens": "T",
    "image": "C, H, W",
    "frames": "mels, T",
    "vectors": "N, D",
    "features": "T, D",
    "mask": "T, S",
    "count": "",
}


class Input(Frozen):
    """One input without its batch axis.

    `shape` has sizes and letters: tokens (T), image (C, H, W), frames (mels, T), vectors (N, D),
    features (T, D), mask (T, S), count (): a whole number for each row. `max` is the context
    length: written, else the learned table's, else 2048; None where no axis is free. `padded` adds
    a boolean input `<name>_mask`, true = real; `segments` an integer input `<name>_segments`:
    positions with one number are one document.
    """

    name: str
    kind: Kind
    shape: tuple[Sized | str, ...]
    max: Sized | None
    padded: bool
    segments: bool
    span: Span


Inputs = dict[str, Input]
