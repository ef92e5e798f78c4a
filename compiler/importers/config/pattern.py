"""Layers one by one to a stack: equal ones said once, the others as `cycle` and `at`."""

from collections.abc import Sequence
from typing import Any

from compiler.importers.config.written import Written

LONGEST_CYCLE = 16
REPEATED = 3
"""So many equal patches in a row are said once, with `times`."""

COMPONENTS = frozenset({"attention", "mlp", "moe", "conv", "rnn"})


def stack(layers: Sequence[Written], repeat: int | str | None = None) -> Written:
    """`stack:` of layers in order, in the shortest form; `repeat` is what their number is called.

    The commonest layer is `layer`; others are patches of it. Layers that come round are a `cycle`,
    what still differs stands under `at`.
    """
    kinds: list[Written] = []
    order = [_kind(layer, kinds) for layer in layers]
    lengths = range(1, min(LONGEST_CYCLE, max(1, len(order) // 2)) + 1)
    cycles = [_cycle(order, length, kinds) for length in lengths]
    cycles.sort(key=lambda cycle: _effort(order, cycle))
    cycle = cycles[0]
    base = kinds[_commonest(cycle, kinds)]
    found: Written = {"repeat": repeat or len(order), "layer": base}
    if len(cycle) > 1:
        found["cycle"] = _times([patch(base, kinds[kind]) for kind in cycle])
    under = [kinds[cycle[i % len(cycle)]] for i in range(len(order))]
    places = _places(order, cycle)
    if places:
        found["at"] = {
            _range(start, stop): patch(under[start], kinds[order[start]]) for start, stop in places
        }
    return found


def patch(base: Written, other: Written) -> Written:
    """What makes `other` of `base`: dotted paths to values, `none` for what is taken away."""
    found: Written = {}
    for name in dict.fromkeys((*base, *other)):
        if name not in base or name not in other:
            found[name] = other.get(name, "none")
        elif _component(base[name]) != _component(other[name]):
            found[name] = other[name]
        else:
            found |= _below(base[name], other[name], name)
    return found


def _below(base: Any, other: Any, path: str) -> Written:
    if base == other:
        return {}
    if not isinstance(base, dict) or not isinstance(other, dict):
        return {path: other}
    found: Written = {}
    for key in dict.fromkeys((*base, *other)):
        inner = path if key in COMPONENTS else f"{path}.{key}"
        if key in base and key in other:
            found |= _below(base[key], other[key], inner)
        else:
            found[inner] = other.get(key, "none")
    return found


def _component(sublayer: Any) -> frozenset[str]:
    return COMPONENTS & set(sublayer)


def _kind(layer: Written, kinds: list[Written]) -> int:
    if layer not in kinds:
        kinds.append(layer)
    return kinds.index(layer)


def _commonest(found: Sequence[int], kinds: Sequence[Written]) -> int:
    """The commonest kind; of several one that places its norms as `defaults:` do, to which no patch
    can lead back."""

    def preferred(kind: int) -> tuple[int, bool]:
        return found.count(kind), not any("norm_at" in step for step in kinds[kind].values())

    return max(dict.fromkeys(found), key=preferred)


def _cycle(order: Sequence[int], length: int, kinds: Sequence[Written]) -> list[int]:
    """The commonest kind at each place of a round."""
    return [_commonest(order[n::length], kinds) for n in range(length)]


def _effort(order: Sequence[int], cycle: Sequence[int]) -> tuple[int, int]:
    """How much there is to read: places of a round, and runs of layers that differ from it."""
    return (len(cycle) - 1) + 2 * len(_places(order, cycle)), len(cycle)


def _places(order: Sequence[int], cycle: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of layers, start and stop, that one patch of the cycle's layers makes right."""
    runs: list[tuple[int, int]] = []
    for i, kind in enumerate(order):
        if kind == cycle[i % len(cycle)]:
            continue
        same = runs and runs[-1][1] == i and order[i - 1] == kind
        if same and cycle[(i - 1) % len(cycle)] == cycle[i % len(cycle)]:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


def _range(start: int, stop: int) -> int | str:
    return start if stop == start + 1 else f"{start}..{stop}"


def _times(patches: Sequence[Written]) -> list[Written]:
    found: list[Written] = []
    start = 0
    while start < len(patches):
        stop = start
        while stop < len(patches) and patches[stop] == patches[start]:
            stop += 1
        count = stop - start
        alike = [{"times": count, "patch": patches[start]}]
        found += alike if count >= REPEATED else [patches[start]] * count
        start = stop
    return found
