"""One forward one backward: which microbatches a stage keeps tensors of at once."""

from collections import Counter
from collections.abc import Iterator, Mapping

from compiler.ir.size import Size, least
from compiler.report.parallel.degrees import Degrees, M

Waiting = Mapping[int, Size]
"""How many microbatches wait for their backward pass, by the piece of the model that they went
through."""


def waiting(degrees: Degrees, stage: int) -> tuple[Waiting, ...]:
    """The fullest moments of a stage: behind a forward, before the backward pass that follows.

    Stage i of p has had p - i forwards before its first backward pass (Narayanan et al. 2021,
    section 2.2). With v pieces it takes p microbatches through each in turn, 2·(p - i - 1) +
    (v - 1)·p forwards of a piece before one of each comes after the other (Megatron-LM,
    `forward_backward_pipelining_with_interleaving`): on the first stage that is 1 + (p - 1)/(p·v)
    times its layers (Korthikanti et al. 2022, section 4.2.3).
    """
    before = degrees.pp - stage
    if degrees.interleave == 1:
        return ({stage: least(before, M) if before > 1 else 1},)
    found = dict.fromkeys(_moments(degrees, 2 * before - 1))
    return tuple(
        {stage + degrees.pp * piece: number for piece, number in enumerate(each)} for each in found
    )


def _moments(degrees: Degrees, beyond: int) -> Iterator[tuple[int, ...]]:
    """Counts by piece behind each forward of one period, from the last before any backward pass on.

    A period takes p microbatches through every piece. `beyond` are the forwards before any backward
    pass that follow the first p of each piece but the last.
    """
    pieces, rounds = degrees.interleave, degrees.pp * degrees.interleave
    every = degrees.microbatches * pieces
    ahead = min(beyond + (pieces - 1) * degrees.pp, every)
    order = [at % rounds // degrees.pp for at in range(min(every, ahead + rounds))]
    under_way = Counter(order[:ahead])
    yield tuple(under_way[piece] for piece in range(pieces))
    for at, piece in enumerate(order[ahead:]):
        under_way[pieces - 1 - order[at]] -= 1
        under_way[piece] += 1
        yield tuple(under_way[piece] for piece in range(pieces))
