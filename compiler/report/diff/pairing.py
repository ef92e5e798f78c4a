"""Which parts of two specs are the same one: by name, else by what they are made of."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from archspec.source.frozen import Frozen
from compiler.report.diff.parts import Leaf, Part, leaves

T = TypeVar("T")
Distance = Callable[[T, T], int | None]


class Pairing(Frozen):
    """Names of the first spec with those of the second, in its order, and what has no pair.

    `moved` are the pairs that do not keep their place among the others.
    """

    pairs: tuple[tuple[str, str], ...]
    removed: tuple[str, ...]
    added: tuple[str, ...]
    moved: frozenset[tuple[str, str]]

    @property
    def renamed(self) -> dict[str, str]:
        """Old names with the new ones."""
        return {old: new for old, new in self.pairs if old != new}


def pairing(before: Mapping[str, T], after: Mapping[str, T], distance: Distance[T]) -> Pairing:
    """Equal names belong together; of the others the nearest, each in the order written.

    `distance` is None for what cannot be the same thing.
    """
    pairs = [(name, name) for name in before if name in after]
    rest, fresh = ([n for n in one if n not in other] for one, other in _both(before, after))
    pairs += [
        (rest[i], fresh[j])
        for i, j in nearest(
            [before[name] for name in rest], [after[name] for name in fresh], distance
        )
    ]
    old, new = dict(pairs), {to: name for name, to in pairs}
    ordered = tuple((new[name], name) for name in after if name in new)
    return Pairing(
        ordered,
        tuple(name for name in before if name not in old),
        tuple(name for name in after if name not in new),
        _moved(list(before), list(after), ordered),
    )


def nearest(
    before: Sequence[T], after: Sequence[T], distance: Distance[T]
) -> list[tuple[int, int]]:
    """Pairs of places, the least distant first; of equal ones those that stand alike."""
    found = [
        (far, i + j, abs(i - j), i, j)
        for i, one in enumerate(before)
        for j, other in enumerate(after)
        if (far := distance(one, other)) is not None
    ]
    taken: tuple[set[int], set[int]] = (set(), set())
    pairs: list[tuple[int, int]] = []
    for *_, i, j in sorted(found):
        if i not in taken[0] and j not in taken[1]:
            pairs.append((i, j))
            taken[0].add(i)
            taken[1].add(j)
    return pairs


def distance(before: Part, after: Part) -> int | None:
    """How many of the written values differ; None for other words, or where most of them do."""
    if before.word != after.word:
        return None
    old, new = dict(leaves(before)), dict(leaves(after))
    said = [name for name in {**old, **new} if _is_said(old.get(name)) or _is_said(new.get(name))]
    far = sum(old.get(name) != new.get(name) for name in said)
    return far if 2 * far <= len(said) else None


def _is_said(leaf: Leaf | None) -> bool:
    return leaf is not None and leaf.origin == "written"


def _both(
    before: Mapping[str, T], after: Mapping[str, T]
) -> tuple[tuple[Mapping[str, T], Mapping[str, T]], ...]:
    return (before, after), (after, before)


def _moved(
    before: list[str], after: list[str], pairs: Sequence[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    """The pairs outside of a longest common order; of equally long ones the first by their names,
    so that going back moves the same."""
    places = sorted((before.index(old), after.index(new), old, new) for old, new in pairs)
    chains: list[tuple[int, tuple[str, ...], frozenset[int]]] = []
    for at, (_, to, old, new) in enumerate(places):
        below = [chains[i] for i in range(at) if places[i][1] < to]
        length, names, kept = min(below, default=(0, (), frozenset[int]()), key=lambda c: c[:2])
        chains.append((length - 1, (*names, min(old, new)), kept | {at}))
    kept = min(chains, key=lambda c: c[:2])[2] if chains else frozenset()
    return frozenset((p[2], p[3]) for at, p in enumerate(places) if at not in kept)
