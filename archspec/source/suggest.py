"""The nearest known word to a misspelt one."""

from collections.abc import Iterable
from typing import Final

LONGEST: Final = 60
MOST: Final = 1000
"""Words that are longer, or of which more are known, are not compared: it would take too long."""


def distance(one: str, other: str, limit: int) -> int:
    """Edits (insert, delete, replace, swap) from `one` to `other`, at most `limit` + 1."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        if min(row) > limit and min(above) >= limit:
            return limit + 1
        before, above = above, row
    return min(above[-1], limit + 1)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` most likely means, or None when none is close."""
    candidates = list(known)
    if len(word) > LONGEST or len(candidates) > MOST:
        return None
    limit = 1 if len(word) <= 3 else 2 if len(word) <= 7 else 3
    ranked = sorted(
        (distance(word.lower(), candidate.lower(), limit), place, candidate)
        for place, candidate in enumerate(candidates)
    )
    if ranked and ranked[0][0] <= limit and ranked[0][0] < len(word):
        return ranked[0][2]
    longer = (known for _, _, known in ranked if known.startswith(word) or word.startswith(known))
    return next((known for known in longer if min(len(known), len(word)) >= 4), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The label "did you mean `…`?", or nothing."""
    found = nearest(word, known)
    return f"did you mean `{found}`?" if found else ""


def existing(words: Iterable[str], what: str) -> str:
    """ "the only node is `a`", "nodes are `a` and `b`", or nothing when there are many or none."""
    found = list(words)
    if not 0 < len(found) <= 12:
        return ""
    one = len(found) == 1
    return f"the only {what} is {listed(found)}" if one else f"{what}s are {listed(found, 'and')}"


def listed(words: Iterable[str], last: str = "or") -> str:
    """`a`, `b` or `c`, in backticks, for messages."""
    quoted = [f"`{word}`" for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"
