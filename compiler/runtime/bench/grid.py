"""Sizes to time at, as `B=1,2` and `T=128,512` say them, or `B=1,2,T=128,512` at once."""

import re
from collections.abc import Sequence
from typing import Final

from compiler.answer import CannotAnswer

HELP: Final = "write sizes as `B=1,4`, `T=128,512` or both: `B=1,4,T=128,512`"
NEXT: Final = re.compile(r",(?=[^,=]*=)")
"""Before the next letter."""
USUAL: Final[dict[str, tuple[int, ...]]] = {"B": (1,), "T": (128,)}
MOST: Final = 2**31


def parse_grid(said: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Every batch with every length, in the order given; raises `CannotAnswer` for others."""
    found = dict(USUAL)
    given: set[str] = set()
    for text in (piece for each in said for piece in NEXT.split(each)):
        letter, _, sizes = text.partition("=")
        if letter not in USUAL:
            raise CannotAnswer(f"`{text}` is not the batch `B` or the length `T`", HELP)
        if letter in given:
            raise CannotAnswer(f"`{letter}` is given twice", HELP)
        given.add(letter)
        found[letter] = tuple(dict.fromkeys(_size(each, text) for each in sizes.split(",")))
    return tuple((batch, length) for batch in found["B"] for length in found["T"])


def _size(digits: str, text: str) -> int:
    if not (digits.isascii() and digits.isdigit() and len(digits) < 11):
        raise CannotAnswer(f"`{text}` is not a list of sizes", HELP)
    if not 1 <= int(digits) < MOST:
        raise CannotAnswer(f"a size in `{text}` is out of range", HELP)
    return int(digits)
