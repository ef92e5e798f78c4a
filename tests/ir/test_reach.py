"""Reach: laws of composition against sets of offsets, and the longest path against a search."""

import itertools

import pytest

from compiler.ir.reach import EVERYWHERE, HERE, Reach
from compiler.ir.size import value

LENGTH = 37
PLAIN = [HERE, Reach(1, 1), Reach(3, 0), Reach(2, 2), Reach(4, 4, every=2), Reach(9, 0, every=3)]
REACHES = [*PLAIN, Reach(4, 0, within=5), Reach(4, 4, within=5), EVERYWHERE, Reach(None, 0)]
PAIRS = list(itertools.product(REACHES, REACHES))


def seen(reach: Reach) -> list[set[int]]:
    """For each of LENGTH positions, those that it looks at, its own one of them."""
    return [{s for s in range(LENGTH) if _looks(reach, t, s)} for t in range(LENGTH)]


def _looks(reach: Reach, t: int, s: int) -> bool:
    far = reach.back if s < t else reach.ahead
    if reach.within and t // reach.within != s // reach.within:
        return False
    return s == t or ((far is None or abs(t - s) <= far) and abs(t - s) % reach.every == 0)


def through(first: list[set[int]], second: list[set[int]]) -> list[set[int]]:
    return [set().union(*(first[middle] for middle in after)) for after in second]


def farthest(looks: list[set[int]]) -> tuple[int, int]:
    back = max(t - min(places) for t, places in enumerate(looks))
    return back, max(max(places) - t for t, places in enumerate(looks))


def told(reach: Reach) -> tuple[int, int]:
    back, ahead = (
        LENGTH - 1 if far is None else min(far, LENGTH - 1) for far in (reach.back, reach.ahead)
    )
    return back, ahead


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=str)
def test_one_through_the_other(one: Reach, other: Reach) -> None:
    assert told(one.then(other)) == farthest(through(seen(one), seen(other)))


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=str)
def test_two_ways_side_by_side(one: Reach, other: Reach) -> None:
    both = [left | right for left, right in zip(seen(one), seen(other), strict=True)]
    assert told(one.beside(other)) == farthest(both)


@pytest.mark.parametrize("length", [2, 3, 8, 9, 10, LENGTH])
@pytest.mark.parametrize("reach", [*REACHES, Reach(32, 32), Reach(8, 0)], ids=str)
def test_the_longest_path_is_that_of_a_search(reach: Reach, length: int) -> None:
    """From every position to the others that it can get to in any number of layers: for a causal
    one, those behind."""
    hops = reach.hops(length)
    farthest_one, pairs = 0, set()
    for start in range(length):
        distance = {start: 0}
        ring = {start}
        while ring:
            step = {t for t in range(length) for s in ring if _looks(reach, t, s)} - set(distance)
            distance |= dict.fromkeys(step, max(distance.values()) + 1)
            ring = step
        farthest_one = max(farthest_one, *distance.values())
        pairs |= {frozenset({start, end}) for end in distance if end != start}
    meets = len(pairs) == length * (length - 1) // 2
    if hops is None:
        assert not meets or length <= (reach.within or 0)
    else:
        assert (meets, value(hops)) == (True, farthest_one)


def test_a_state_passes_every_position() -> None:
    for length in (2, 50):
        hops = Reach(None, 0, stepwise=True).hops(length)
        assert hops is not None
        assert value(hops) == length


def test_what_mixes_nothing_changes_nothing() -> None:
    for reach in REACHES:
        assert HERE.then(reach) == reach.then(HERE) == HERE.beside(reach) == reach
