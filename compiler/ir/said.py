"""Words for the numbers of weights, as people write them: `int8`, `int4:32:zero-point`."""

from collections.abc import Sequence
from typing import Final, cast

from archspec.source.suggest import did_you_mean, listed
from compiler.answer import CannotAnswer
from compiler.ir.integers import BLOCKS, ROUNDINGS, WIDE, Integers, Rounding
from compiler.ir.target import BITS, EVERY, PRECISIONS, Choice, Precision

COLUMN: Final = "column"

MEANT: Final = {"gpu": "cuda", "nvidia": "cuda"}
"""Other names of words, which by their letters alone are nearer to something else."""


def integers_said(option: str, word: str, more: Sequence[str]) -> Integers | None:
    """Integers of a kind with a block and a rounding, in any order; None for floats.

    Raises CannotAnswer, which names the `option`, for unknown words.
    """
    bits = BITS.get(word)
    if bits is None:
        for each in more:
            known(option, each, ())
        return None
    block: int | None = WIDE
    rounding: Rounding = "fitted" if bits == 4 else "symmetric"
    for each in more:
        blocks = (*map(str, BLOCKS), *((COLUMN,) if bits == 8 else ()))
        known(option, each, (*blocks, *ROUNDINGS))
        if each in ROUNDINGS:
            rounding = cast(Rounding, each)
        else:
            block = None if each == COLUMN else int(each)
    return Integers(bits, block, rounding)


def everywhere(option: str, said: str) -> tuple[Precision, tuple[Choice, ...]]:
    """The kind of numbers that a precision such as `int4:32` is of, and a choice for all matrices
    where more is said. Raises CannotAnswer."""
    kind, *more = said.split(":")
    known(option, kind, PRECISIONS)
    chosen = (Choice(EVERY, integers_said(option, kind, more)),) if more else ()
    return cast(Precision, kind), chosen


def known(option: str, word: str, words: Sequence[str]) -> None:
    """Raises CannotAnswer where an option has no such word."""
    if word in words:
        return
    near = did_you_mean(MEANT.get(word, word), words)
    hint = near or (f"give {listed(words)}" if words else "floats have no blocks and no rounding")
    raise CannotAnswer(f"`{option}` does not know `{word}`", hint)
