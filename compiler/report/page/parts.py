"""Formulas with what several of them have in common written once: a character stands for it."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

FIRST, LAST = 0x100, 0x7FF
"""Characters that no formula has, of two bytes each."""
INNERMOST: Final = re.compile(r"(?:floor|max|min)?\([^()]*\)")
PART: Final = re.compile("[\U000f0000-\U000ffffd]")
"""Stands for anything in brackets until it is known what is worth a character."""


def shared(formulas: Sequence[str]) -> tuple[list[str], list[str]]:
    """The formulas shortened, and their parts in the order of those characters; a part may have
    others in it."""
    known: dict[str, str] = {}
    texts = [_folded(text, known) for text in formulas]
    insides = {mark: inside for inside, mark in known.items()}
    uses = Counter(mark for text in (*texts, *known) for mark in PART.findall(text))
    kept: dict[str, str] = {}
    parts: list[str] = []

    def written(text: str) -> str:
        return PART.sub(lambda found: kept.get(found[0]) or written(insides[found[0]]), text)

    for mark, inside in insides.items():
        text = written(inside)
        if _spared(len(text.encode()), uses[mark]) > 0 and FIRST + len(parts) <= LAST:
            kept[mark] = chr(FIRST + len(parts))
            parts.append(text)
    return [written(text) for text in texts], parts


def _folded(text: str, known: dict[str, str]) -> str:
    """A formula with a mark for everything in brackets, from the inside out."""
    while "(" in text:
        text = INNERMOST.sub(lambda f: known.setdefault(f[0], chr(0xF0000 + len(known))), text)
    return text


def _spared(length: int, uses: int) -> int:
    """The bytes that two for each use, and the part itself with its quotes, leave."""
    return uses * (length - 2) - length - 3
