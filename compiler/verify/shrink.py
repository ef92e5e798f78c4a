"""A shrunken sibling of a spec: the same structure with small sizes, by patches for `--set`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from archspec.components.pool import Pool
from archspec.model.spec import Spec
from archspec.model.stack import Stack
from archspec.source.diagnostic import Diagnostic
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.knobs import Knob, Role, knobs

FITS: Final = 50_000_000
"""Parameters up to which a spec is run as it is."""

SMALL: Final[dict[Role, tuple[int, int]]] = {
    "width": (48, 48),
    "heads": (4, 4),
    "kv_heads": (2, 2),
    "head_dim": (12, 8),
    "turned": (6, 2),
    "hidden": (80, 16),
    "vocab": (101, 10),
    "table": (64, 7),
    "patch": (4, 4),
    "image": (20, 20),
    "out": (23, 2),
}
"""The smallest size of each role and the step to the next larger one; roles differ in size."""

MOST_LAYERS: Final = 64
Reload: TypeAlias = Callable[[Sequence[str]], Spec | tuple[Diagnostic, ...]]
"""Reads a spec again with further patches."""


@dataclass(frozen=True)
class Sibling:
    """What is run in a spec's place: itself, or a smaller one with the patches that make it."""

    made: Compiled
    patches: tuple[str, ...]


def sibling(whole: Compiled, reload: Reload) -> Sibling | None:
    """The spec itself if it fits, else its shrunken sibling; None where that is too large too."""
    if whole.parameters <= FITS:
        return Sibling(whole, ())
    found = shrunken(whole, reload)
    return found if found.made.parameters <= FITS else None


def shrunken(whole: Compiled, reload: Reload) -> Sibling:
    """A small sibling, however small the spec is already, with every kind of layer that it has."""
    found = knobs(whole.spec)
    wishes = {k.path: _target(k, found, whole.spec) for k in found if k.role != "layers"}
    kept, made = _smaller(whole, wishes, reload)
    for knob in (k for k in found if k.role == "layers"):
        for count in _counts(whole.spec, knob.value):
            fewer = _try(whole.spec, {**kept, knob.path: count}, reload)
            if fewer is not None:
                kept, made = {**kept, knob.path: count}, fewer
                break
    return Sibling(made, said(kept))


def _smaller(
    whole: Compiled, wishes: dict[str, int], reload: Reload
) -> tuple[dict[str, int], Compiled]:
    """All wishes together, else all but one, else one after the other as far as they fit."""
    for chosen in (wishes, *({n: v for n, v in wishes.items() if n != out} for out in wishes)):
        made = _try(whole.spec, chosen, reload)
        if made is not None:
            return chosen, made
    kept: dict[str, int] = {}
    found = whole
    for name, value in wishes.items():
        made = _try(whole.spec, {**kept, name: value}, reload)
        if made is not None:
            kept, found = {**kept, name: value}, made
    return kept, found


def _try(spec: Spec, patches: dict[str, int], reload: Reload) -> Compiled | None:
    """The spec with patches, where it is one and has as many kinds of layers as before."""
    read = reload(said(patches))
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


def said(patches: dict[str, int]) -> tuple[str, ...]:
    """Patches as `--set` takes them."""
    return tuple(f"{path}={value}" for path, value in patches.items())


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
