"""A shrunken sibling of a spec: the same structure with small sizes, by patches for `--set`."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import archspec
from archspec.components.pool import Pool
from archspec.load import Source
from archspec.model.spec import Spec
from archspec.model.stack import Stack
from archspec.source.diagnostic import Diagnostic
from archspec.source.frozen import Frozen
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.knobs import Knob, Role, knobs

FITS: Final = 50_000_000
"""Parameters up to which a spec is run as it is."""

SMALL: Final[dict[Role, tuple[int, int]]] = {
    "width": (64, 64),
    "heads": (4, 4),
    "kv_heads": (2, 2),
    "head_dim": (16, 8),
    "rank": (20, 4),
    "turned": (6, 2),
    "hidden": (80, 16),
    "experts": (3, 1),
    "active": (2, 1),
    "vocab": (101, 10),
    "table": (72, 7),
    "patch": (4, 4),
    "image": (20, 20),
    "out": (23, 2),
}
"""The smallest size of each role and the step to the next larger one; roles differ in size. Heads
are as wide as ONNX Runtime's attention for decoders takes them, in multiples of 8."""

FULL: Final = "run at full size"
MOST_LAYERS: Final = 64
Reload: TypeAlias = Callable[[Sequence[str]], Spec | tuple[Diagnostic, ...]]
"""Reads a spec again with further patches."""


Sizes: TypeAlias = dict[Knob, int]


class Sibling(Frozen):
    """What is run in a spec's place: itself, or a smaller one with the patches that make it."""

    made: Compiled
    patches: tuple[str, ...]


def chosen(whole: Compiled, source: Source, patches: tuple[str, ...]) -> tuple[Sibling | None, str]:
    """What is run, and what to say about it."""
    size = f"{whole.parameters:,} parameters".replace(",", "\u202f")
    most = f"{FITS:,}".replace(",", "\u202f")
    if not source and whole.parameters > FITS:
        return None, f"{size}: a spec that no file holds has no sibling"

    def reload(more: Sequence[str]) -> Spec | tuple[Diagnostic, ...]:
        return archspec.read(source, set=[*patches, *more])

    found = sibling(whole, reload)
    if found is None:
        return None, f"{size}, and no sibling of at most {most} was found"
    if found.patches:
        return found, f"{size} are more than {most}: run as a sibling"
    return found, f"{FULL}, {size}"


def sibling(whole: Compiled, reload: Reload) -> Sibling | None:
    """The spec itself if it fits, else its shrunken sibling; None where that is too large too."""
    if whole.parameters <= FITS:
        return Sibling(whole, ())
    found = shrunken(whole, reload)
    return found if found.made.parameters <= FITS else None


def shrunken(whole: Compiled, reload: Reload) -> Sibling:
    """A small sibling, however small the spec is already, with every kind of layer that it has."""
    found = knobs(whole.spec)
    sizes = {k: _target(k, found, whole.spec) for k in found if k.role != "layers"}
    kept, made = _smaller(whole, sizes, reload)
    for knob in (k for k in found if k.role == "layers"):
        for count in _counts(whole.spec, knob.value):
            fewer = _try(whole.spec, {**kept, knob: count}, reload)
            if fewer is not None:
                kept, made = {**kept, knob: count}, fewer
                break
    return Sibling(made, said(kept))


def said(sizes: Sizes) -> tuple[str, ...]:
    """Sizes as patches that `--set` takes; those that stay as they are need none."""
    return tuple(knob.patch(value) for knob, value in sizes.items() if value != knob.value)


def _smaller(whole: Compiled, wishes: Sizes, reload: Reload) -> tuple[Sizes, Compiled]:
    """All wishes together, else with one of them larger, else one by one as far as they fit."""
    larger = ({**wishes, knob: size} for knob in wishes for size in _steps(knob, wishes[knob]))
    for chosen in (wishes, *larger):
        made = _try(whole.spec, chosen, reload)
        if made is not None:
            return chosen, made
    kept: Sizes = {}
    found = whole
    for knob, wish in wishes.items():
        for size in (wish, *_steps(knob, wish)):
            made = _try(whole.spec, {**kept, knob: size}, reload)
            if made is not None:
                kept, found = {**kept, knob: size}, made
                break
    return kept, found


def _steps(knob: Knob, wish: int) -> list[int]:
    """Sizes above the one that is wished for: the number halved again and again, smallest first."""
    halves = [knob.value >> step for step in range(knob.value.bit_length())]
    return sorted(size for size in halves if size > wish)


def _try(spec: Spec, sizes: Sizes, reload: Reload) -> Compiled | None:
    """The spec with other sizes, where it is one and has as many kinds of layers as before."""
    read = reload(said(sizes))
    if not isinstance(read, Spec) or _variants(read) != _variants(spec):
        return None
    made = compiled(read)
    return made if isinstance(made, Compiled) else None


def _variants(spec: Spec) -> list[int]:
    return [
        len(n.component.variants) for n in spec.graph.values() if isinstance(n.component, Stack)
    ]


def _counts(spec: Spec, now: int) -> range:
    """Numbers of layers to try, the fewest first."""
    return range(max((2, *_variants(spec))), min(now, MOST_LAYERS))


def _target(knob: Knob, every: Sequence[Knob], spec: Spec) -> int:
    """The small size for a number: the larger among those of its role stay the larger."""
    first, step = SMALL[knob.role]
    if knob.role == "kv_heads" and knob.value == 1:
        return 1
    alike = sorted({other.value for other in every if other.role == knob.role})
    if knob.role == "vocab":
        first = max(first, 1 + max(_tokens(spec), default=0))
    return min(knob.value, first + step * alike.index(knob.value))


def _tokens(spec: Spec) -> list[int]:
    """Ids that a pool looks for."""
    pools = [node.component for node in spec.graph.values() if isinstance(node.component, Pool)]
    return [int(pool.token) for pool in pools if isinstance(pool.token, int)]
