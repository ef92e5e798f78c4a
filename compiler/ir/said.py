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

    Raises CannotAnswer, which names the `option`, for unknown words and for two of one kind.
    """
    bits = BITS.get(word)
    if bits is None:
        for each in more:
            known(option, each, ())
        return None
    blocks = (*map(str, BLOCKS), *((COLUMN,) if bits == 8 else ()))
    for each in more:
        known(option, each, (*blocks, *ROUNDINGS))
    block = _one(option, [each for each in more if each in blocks], str(WIDE))
    rounding = _one(
        option,
        [each for each in more if each in ROUNDINGS],
        "fitted" if bits == 4 else "symmetric",
    )
    return Integers(bits, None if block == COLUMN else int(block), cast(Rounding, rounding))


def _one(option: str, said: Sequence[str], usual: str) -> str:
    """What is said once, or the usual."""
    if len(said) > 1:
        raise CannotAnswer(
            f"`{option}` is given both `{said[0]}` and `{said[1]}`", "numbers have one of them"
        )
    return said[0] if said else usual


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
