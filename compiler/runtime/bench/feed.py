"""Inputs of given sizes for any model, by the names and shapes of what it takes."""

from typing import TYPE_CHECKING

from compiler.answer import CannotAnswer
from compiler.runtime.roles import COMPANIONS
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from compiler.runtime.kept import Array

SEED = 0


def feed(session: Session, batch: int, new: int, seen: int) -> "dict[str, Array]":
    """Inputs for `new` positions, the last of `seen`, in each of `batch` sequences.

    Nothing is masked. Ids are drawn where the logits tell how many there are, else, as those of a
    source, they are 0 and 1; everything else is drawn too, in the sizes that the model fixes.
    """
    return {
        name: _array(session, name, batch, new, seen)
        for name in session.inputs
        if name not in session.zeros
    }


def has_length(session: Session) -> bool:
    """Whether a sequence of this model can have any length."""
    return any(isinstance(size, str) for shape in session.inputs.values() for size in shape[1:])


def _array(session: Session, name: str, batch: int, new: int, seen: int) -> "Array":
    import numpy as np

    draws, shape, kind = np.random.default_rng(SEED), session.inputs[name], session.kinds[name]
    lengths = {size: new for size in shape[1:] if isinstance(size, str)}
    if session.past and len(shape) == 2 and shape[1] != _grown(session):
        lengths = dict.fromkeys(lengths, seen)
    sizes = [size if isinstance(size, int) else lengths.get(size, batch) for size in shape]
    if name.endswith("mask"):
        return np.ones(sizes, kind)
    if "position" in name:
        return np.broadcast_to(np.arange(seen - new, seen), sizes).astype(kind)
    if kind.startswith("float"):
        return draws.standard_normal(sizes).astype(kind)
    if name.endswith(COMPANIONS):
        return np.zeros(sizes, kind)
    words = 2 if name in session.source else _vocabulary(session)
    return draws.integers(0, words, sizes).astype(kind)


def _grown(session: Session) -> str | int:
    """The letter of how many positions a decoder is given at once."""
    for name, shape in session.inputs.items():
        if name in session.source:
            continue
        if len(shape) == 2 and not name.endswith("mask") and session.kinds[name] == "int64":
            found: str | int = shape[1]
            return found
    raise CannotAnswer("a decoder without an input of ids cannot be timed")


def _vocabulary(session: Session) -> int:
    """How many ids there are surely."""
    sizes = [shape[-1] for shape in session.outputs.values() if session.past and len(shape) == 3]
    return next((size for size in sizes if isinstance(size, int)), 2)
