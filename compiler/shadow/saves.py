"""What a backward pass needs, tensor by tensor: what each is of, and which layers keep it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from archspec.source.frozen import Frozen
from compiler.shadow.length import product
from compiler.shadow.tape import Tape


@dataclass(frozen=True)
class Saved:
    """Storages that are kept for a backward pass, alike but for their layers.

    Attributes:
        width: of an element, in bytes.
        times: how many there are for each layer that makes one, or in all where none does.
        node: the node that makes them; none has a number below zero.
        made: the moment at which they are made (`Tape.moment`).
        kept: the moments at which they are kept.
    """

    shape: tuple[int, ...]
    width: int
    times: int
    node: int
    made: int
    kept: frozenset[int]


class Saves(Frozen):
    """All of them; for each layer of the run those that it stands for, and how many they are."""

    tensors: tuple[Saved, ...]
    layers: tuple[range, ...]
    turns: tuple[int, ...]


NOTHING_SAVED: Final = Saves((), (), ())


def saves(tape: Tape) -> Saves:
    """What the steps of a run keep."""
    turns = tuple(_turns(tape, rounds) for rounds in tape.layered)
    return Saves(tuple(_saved(tape)), tuple(_layers(tape)), turns)


def _saved(tape: Tape) -> Iterator[Saved]:
    for index, moments in sorted(tape.keeping.items()):
        kept = frozenset(moment for moment, times in moments.items() if times)
        if not kept:
            continue
        shape, width = tape.sizes[index]
        node, made = tape.makers[index]
        around = len(tape.layered[made // 2]) if made % 2 else 0
        yield Saved(shape, width, _turns(tape, tape.within[index][around:]), node, made, kept)


def _layers(tape: Tape) -> Iterator[range]:
    """Layers in one round of a loop come in turns as often as that stands for rounds."""
    first, at = 0, 0
    while at < len(tape.layered):
        rounds = tape.layered[at]
        turn = 1
        while at + turn < len(tape.layered) and tape.layered[at + turn] == rounds:
            turn += 1
        count = int(_turns(tape, rounds)) * turn
        for offset in range(turn):
            yield range(first + offset, first + count, turn)
        first, at = first + count, at + turn


def _turns(tape: Tape, rounds: tuple[int, ...]) -> int:
    """What some rounds stand for together."""
    return product(tape.rounds[i].times for i in rounds)
