"""Which layers of two stacks are the same one."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Final

from archspec.model.stack import Stack
from archspec.source.frozen import Frozen
from compiler.report.diff.pairing import distance, nearest
from compiler.report.diff.parts import Part, leaves

MANY: Final = 400
Layers = Sequence[Mapping[str, Part]]
Rows = dict[tuple[int, int], tuple[list[int], list[int]]]


class Alike(Frozen):
    """A kind of layers in each stack, and the layers that are of it in both.

    Layers that only the longer stack has belong to the kind that they are of.
    """

    kinds: tuple[int, int]
    before: tuple[int, ...]
    after: tuple[int, ...]


class Alignment(Frozen):
    """Kinds of layers that stand for each other, and layers whose kind the other stack lacks."""

    alike: tuple[Alike, ...]
    removed: Mapping[int, tuple[int, ...]]
    added: Mapping[int, tuple[int, ...]]

    @property
    def regular(self) -> bool:
        """Whether each kind stands for one other: the pattern of the layers is the same."""
        kinds = [alike.kinds for alike in self.alike]
        return all(len({k[side] for k in kinds}) == len(kinds) for side in (0, 1))


def align(before: Stack, after: Stack, old: Layers, new: Layers) -> Alignment:
    """Layer by layer where both have as many, else from both ends by their kinds.

    `old` and `new` are the parts of the stacks' variants.
    """
    same = _kinds(old, new)
    pairs = _places(before.order, after.order, same)
    rows: Rows = {}
    for i, j in pairs:
        row = rows.setdefault((before.order[i], after.order[j]), ([], []))
        row[0].append(i)
        row[1].append(j)
    removed = _others(before.order, {i for i, _ in pairs}, rows, 0, set(same.items()))
    added = _others(after.order, {j for _, j in pairs}, rows, 1, set(same.items()))
    alike = tuple(Alike(k, tuple(sorted(i)), tuple(sorted(j))) for k, (i, j) in rows.items())
    return Alignment(alike, removed, added)


def _kinds(old: Layers, new: Layers) -> dict[int, int]:
    """Which kind of layers stands for which: equal ones, then the nearest.

    Very many that differ are taken in the order in which they first stand.
    """
    was, now = ([_said(layer) for layer in layers] for layers in (old, new))
    equal = dict(nearest(was, now, lambda one, other: 0 if one == other else None))
    rest = [i for i in range(len(old)) if i not in equal]
    fresh = [j for j in range(len(new)) if j not in equal.values()]
    if len(rest) * len(fresh) > MANY:
        return {**equal, **dict(zip(rest, fresh, strict=False))}
    found = nearest([old[i] for i in rest], [new[j] for j in fresh], _far)
    return {**equal, **{rest[i]: fresh[j] for i, j in found}}


def _said(layer: Mapping[str, Part]) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (sub, name, leaf.text) for sub, part in layer.items() for name, leaf in leaves(part)
    )


def _others(
    order: Sequence[int], met: set[int], rows: Rows, side: int, same: set[tuple[int, int]]
) -> dict[int, tuple[int, ...]]:
    """Puts layers without a partner to their kind's; returns those whose kind has none."""
    alone: dict[int, list[int]] = {}
    for layer, kind in enumerate(order):
        if layer in met:
            continue
        known = [kinds for kinds in rows if kinds[side] == kind]
        best = [kinds for kinds in known if kinds in same] or sorted(known)
        (rows[best[0]][side] if best else alone.setdefault(kind, [])).append(layer)
    return {kind: tuple(layers) for kind, layers in alone.items()}


def _places(
    before: Sequence[int], after: Sequence[int], same: Mapping[int, int]
) -> list[tuple[int, int]]:
    if len(before) == len(after):
        return [(i, i) for i in range(len(before))]
    met = [same.get(kind, -1) for kind in before]
    shorter = min(len(before), len(after))
    first = sum(1 for _ in takewhile(lambda i: met[i] == after[i], range(shorter)))
    rest = shorter - first
    last = sum(1 for _ in takewhile(lambda i: met[-1 - i] == after[-1 - i], range(rest)))
    middle = min(len(before), len(after)) - last
    places = [(i, i) for i in range(middle)]
    return places + [(len(before) - k, len(after) - k) for k in range(last, 0, -1)]


def _far(before: Mapping[str, Part], after: Mapping[str, Part]) -> int:
    """Values that differ between two layers; a sub-layer of one alone counts as many."""
    shared = [name for name in before if name in after]
    apart = len(before) + len(after) - 2 * len(shared)
    found = [distance(before[name], after[name]) for name in shared if before[name] != after[name]]
    return 100 * (apart + found.count(None)) + sum(far for far in found if far is not None)
