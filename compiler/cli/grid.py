"""Sizes to time at, as `B=1,2` and `T=128,512` say them, or `B=1,2,T=128,512` at once."""

import re
from collections.abc import Sequence
from typing import Final

from compiler.answer import CannotAnswer
from compiler.cli.pairs import pairs

USAGE: Final = "write sizes as `B=1,4`, `T=128,512` or both: `B=1,4,T=128,512`"
NEXT: Final = re.compile(r",(?=[^,=]*=)")
"""Before the next letter."""
ITEM: Final = re.compile(r"(\w+)=([0-9]{1,10}(?:,[0-9]{1,10})*)")
USUAL: Final[dict[str, tuple[int, ...]]] = {"B": (1,), "T": (128,)}
MOST: Final = 2**31


def parse_grid(said: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Every batch with every length, in the order given; raises CannotAnswer for others."""
    found = dict(USUAL)
    items = (piece for each in said for piece in NEXT.split(each))
    for letter, text in pairs(items, ITEM, "is not a list of sizes", USAGE).items():
        if letter not in USUAL:
            raise CannotAnswer(f"`{letter}` is not the batch `B` or the length `T`", USAGE)
        sizes = tuple(dict.fromkeys(map(int, text.split(","))))
        if not all(1 <= size < MOST for size in sizes):
            raise CannotAnswer(f"a size in `{letter}={text}` is out of range", USAGE)
        found[letter] = sizes
    return tuple((batch, length) for batch in found["B"] for length in found["T"])
