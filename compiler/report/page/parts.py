"""Formulas with what several of them have in common written once: a character stands for it.

Neighbours that come together most often become one, again and again (Larsson & Moffat 1999,
Re-Pair); what spares nothing by that is written out.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Final

FIRST, LAST = 0x100, 0x7FF
"""Characters that no formula has, of two bytes each."""
WORD: Final = re.compile(r"[+-]?\d*[A-Za-z⁰¹²³⁴⁵⁶⁷⁸⁹]+|.", re.DOTALL)
Pair = tuple[int, int]


def shared(formulas: Sequence[str]) -> tuple[list[str], list[str]]:
    """The formulas shortened, and their parts in the order of those characters; a part may have
    others in it."""
    places: dict[str, int] = {}
    lines = [[places.setdefault(w, len(places)) for w in WORD.findall(text)] for text in formulas]
    words = list(places)
    pairs = _joined(lines, len(words))
    uses = Counter(each for line in (*lines, *pairs.values()) for each in line)
    kept: dict[int, str] = dict(enumerate(words))
    parts: list[str] = []
    for mark, pair in pairs.items():
        text = kept[pair[0]] + kept[pair[1]]
        kept[mark] = text
        if _spared(len(text.encode()), uses[mark]) > 0 and FIRST + len(parts) <= LAST:
            kept[mark] = chr(FIRST + len(parts))
            parts.append(text)
        else:
            for each in pair:
                uses[each] += uses[mark] - 1
    return ["".join(kept[each] for each in line) for line in lines], parts


def _joined(lines: list[list[int]], first: int) -> Mapping[int, Pair]:
    """Pairs by the numbers that stand for them now, the innermost first; `lines` change."""
    found: dict[int, Pair] = {}
    pairs = _Pairs(lines)
    while pair := pairs.most():
        mark = first + len(found)
        found[mark] = pair
        pairs.join(pair, mark)
    return found


class _Pairs:
    """Neighbours: how often they come, and in which lines they have."""

    def __init__(self, lines: list[list[int]]) -> None:
        self.lines = lines
        self.counts: Counter[Pair] = Counter()
        self.where: dict[Pair, set[int]] = {}
        for at, line in enumerate(lines):
            self.counts.update(pairwise(line))
            for pair in pairwise(line):
                self.where.setdefault(pair, set()).add(at)
        self._queue = [(-times, pair) for pair, times in self.counts.items() if times > 1]
        heapify(self._queue)

    def most(self) -> Pair | None:
        """Those that come most often, if any come twice."""
        while self._queue:
            times, pair = heappop(self._queue)
            now = self.counts[pair]
            if now == -times:
                return pair
            if now > 1:
                heappush(self._queue, (-now, pair))
        return None

    def join(self, pair: Pair, mark: int) -> None:
        """Put a mark for a pair; what comes more often then has the mark in it."""
        fresh: set[Pair] = set()
        for at in self.where.pop(pair):
            self.counts.subtract(pairwise(self.lines[at]))
            self.lines[at] = _replaced(self.lines[at], pair, mark)
            self.counts.update(pairwise(self.lines[at]))
            for new in (each for each in pairwise(self.lines[at]) if mark in each):
                self.where.setdefault(new, set()).add(at)
                fresh.add(new)
        self.counts[pair] = 0
        for new in fresh:
            if self.counts[new] > 1:
                heappush(self._queue, (-self.counts[new], new))


def _replaced(line: list[int], pair: Pair, mark: int) -> list[int]:
    left, right = pair
    found: list[int] = []
    for each in line:
        if each == right and found and found[-1] == left:
            found[-1] = mark
        else:
            found.append(each)
    return found


def _spared(length: int, uses: int) -> int:
    """The bytes that two for each use, and the part itself with its quotes, leave."""
    return uses * (length - 2) - length - 3
