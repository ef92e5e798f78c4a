"""Sentences of a made-up language, and what becomes of them: reversed, or put in another order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

PAD, START, STOP, PARTICLE, FIRST = 0, 1, 2, 3, 4
SYMBOLS = 500
VOCAB = FIRST + SYMBOLS
COMPOUND = FIRST + SYMBOLS // 10
"""Symbols below this one become two tokens: themselves and a particle."""


@dataclass(frozen=True)
class Batch:
    """Sources `BS` padded behind, targets `BT` between START and STOP, places of sources `B(T-1)`.

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


Order = Callable[[list[int]], list[tuple[int, int]]]


def reversed_order(words: list[int]) -> list[tuple[int, int]]:
    """The last word first; with each word, the place it comes from."""
    return [(words[place], place) for place in reversed(range(len(words)))]


def swapped_order(words: list[int]) -> list[tuple[int, int]]:
    """Adjacent pairs change places, and a compound becomes itself and a particle."""
    pairs = [place ^ 1 if place ^ 1 < len(words) else place for place in range(len(words))]
    told = []
    for place in pairs:
        told.append((words[place], place))
        if words[place] < COMPOUND:
            told.append((PARTICLE, place))
    return told


ORDERS: Mapping[str, Order] = {"reverse": reversed_order, "reorder": swapped_order}


def batch(order: Order, lengths: Tensor, draw: torch.Generator) -> Batch:
    """A random sentence of each of the lengths."""
    sources = [
        torch.randint(FIRST, VOCAB, (int(length),), generator=draw).tolist() for length in lengths
    ]
    told = [order(words) for words in sources]
    targets = [[START, *(word for word, _ in pairs), STOP] for pairs in told]
    places = [[*(place for _, place in pairs), -1] for pairs in told]
    return Batch(padded(sources, PAD), padded(targets, PAD), padded(places, -1))


def padded(rows: list[list[int]], filler: int) -> Tensor:
    """Rows of several lengths as one matrix, filled up behind."""
    width = max(map(len, rows))
    return torch.tensor([row + [filler] * (width - len(row)) for row in rows])
