"""Sentences of a made-up language, and what becomes of them: reversed, or put in another order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

PAD, START, STOP, PARTICLE, FIRST = 0, 1, 2, 3, 4


@dataclass(frozen=True)
class Batch:
    """Sources `BS` that end in STOP, targets `BT` between START and STOP with padding behind,
    places of sources `B(T-1)`.

    `places[b, t]` is the source position that token `t + 1` of the target comes from; -1 for
    STOP and padding.
    """

    source: Tensor
    target: Tensor
    places: Tensor

    @property
    def seen(self) -> Tensor:
        """Which positions of the source are no padding."""
        return self.source != PAD


Order = Callable[[list[int], int], list[tuple[int, int]]]
"""Words of a sentence, and the first symbol that is no compound, to tokens with their places."""


@dataclass(frozen=True)
class Language:
    """An order of words over some symbols; one in ten is a compound."""

    order: str
    symbols: int = 500

    @property
    def vocab(self) -> int:
        """With the four tokens that are no words."""
        return FIRST + self.symbols

    def told(self, words: list[int]) -> list[tuple[int, int]]:
        """What becomes of a sentence: tokens, each with the place it comes from."""
        return ORDERS[self.order](words, FIRST + self.symbols // 10)


def reversed_order(words: list[int], simple: int) -> list[tuple[int, int]]:
    """The last word first; with each word, the place it comes from."""
    return [(words[place], place) for place in reversed(range(len(words)))]


def swapped_order(words: list[int], simple: int) -> list[tuple[int, int]]:
    """Adjacent pairs change places, and a compound becomes itself and a particle."""
    pairs = [place ^ 1 if place ^ 1 < len(words) else place for place in range(len(words))]
    told = []
    for place in pairs:
        told.append((words[place], place))
        if words[place] < simple:
            told.append((PARTICLE, place))
    return told


ORDERS: Mapping[str, Order] = {"reverse": reversed_order, "reorder": swapped_order}


def batch(language: Language, length: int, rows: int, draw: torch.Generator) -> Batch:
    """Random sentences of a length."""
    words = torch.randint(FIRST, language.vocab, (rows, length), generator=draw)
    told = [language.told(row) for row in words.tolist()]
    targets = [[START, *(word for word, _ in pairs), STOP] for pairs in told]
    places = [[*(place for _, place in pairs), -1] for pairs in told]
    source = torch.cat((words, torch.full((rows, 1), STOP)), dim=1)
    return Batch(source, padded(targets, PAD), padded(places, -1))


def padded(rows: list[list[int]], filler: int) -> Tensor:
    """Rows of several lengths as one matrix, filled up behind."""
    width = max(map(len, rows))
    return torch.tensor([row + [filler] * (width - len(row)) for row in rows])
