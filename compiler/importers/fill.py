"""Every parameter of a model from a checkpoint, strict both ways."""

from collections.abc import Mapping, Sequence
from functools import partial

from archspec.source.diagnostic import Diagnostic
from archspec.source.frozen import Frozen
from compiler.importers.claims import Claims, alike, claim
from compiler.importers.differences import (
    different_copies,
    different_shape,
    different_tie,
    left_over,
    no_fit,
    not_numbers,
)
from compiler.importers.fusion import Fusion, canonical_rules
from compiler.importers.lazy import NUMBERS, Lazy, same
from compiler.importers.operators import Shape, Sizes
from compiler.importers.rules import Rules
from compiler.importers.ties import rifts
from compiler.importers.weights_file import Checkpoint


class Filled(Frozen):
    """A source for every parameter, in the model's order, and the keys that rules dropped."""

    sources: Mapping[str, Lazy]
    dropped: tuple[str, ...]


def fill(
    parameters: Mapping[str, Shape],
    checkpoint: Checkpoint,
    *,
    rules: Rules | None = None,
    fusions: Sequence[Fusion] = (),
    ties: Mapping[str, str] | None = None,
    sizes: Sizes | None = None,
) -> Filled | tuple[Diagnostic, ...]:
    """A lazy source for each of `parameters` (our names and their shapes).

    `rules` read a published file's names; a file in our own names, with `fusions` or without, is
    read whether there are rules or not. `ties` gives aliases and their owners: an alias may be in
    the file if it equals its owner. `sizes` are the integers that a `regroup` may name. What does
    not fit is said in diagnostics AR0706 and AR0708 to AR0712, all of them; only tensors that the
    file holds twice are read.
    """
    aliases = dict(ties or {})
    owners = {name: shape for name, shape in parameters.items() if name not in aliases}
    claims = claims_of(owners, checkpoint, rules, fusions, aliases, sizes or {})
    problems = _copies(checkpoint, claims)
    problems += [different_tie(checkpoint.path, rift) for rift in rifts(claims, aliases)]
    sources = {n: t for n, t in _sources(claims, aliases).items() if n in owners}
    unfilled = tuple(n for n in owners if n not in sources and n not in claims.misfit_targets)
    if claims.unused or unfilled:
        sought = _sought(claims, rules, unfilled)
        said = left_over(checkpoint.path, claims, unfilled, sought, ruled=rules is not None)
        problems.insert(0, said)
    problems += [no_fit(checkpoint.path, misfit) for misfit in alike(claims.misfits)]
    problems += _unlike(checkpoint, claims, sources, owners)
    if problems:
        return tuple(problems)
    return Filled({name: sources[name] for name in owners}, claims.dropped)


def claims_of(
    owners: Mapping[str, Shape],
    checkpoint: Checkpoint,
    rules: Rules | None,
    fusions: Sequence[Fusion],
    aliases: Mapping[str, str],
    sizes: Sizes,
) -> Claims:
    """What a checkpoint gives, read by `rules` or in our own names, whichever leaves less unused.

    `owners` are the parameters but for `aliases` of them.
    """
    shapes = {**owners, **{a: owners[o] for a, o in aliases.items() if o in owners}}
    ours = canonical_rules(shapes, fusions)
    tried = [claim(checkpoint, read, shapes, sizes) for read in (rules, ours) if read]
    return min(tried, key=lambda made: len(made.unused))


def _sought(claims: Claims, rules: Rules | None, unfilled: Sequence[str]) -> list[str]:
    """The keys that unfilled parameters would be read from, where others were read by `rules`."""
    used = (key for made in claims.made.values() for one in made for key in one.keys)
    if rules is None or not any(rules.find(key) for key in used):
        return []
    return [key for key in map(rules.key_of, unfilled) if key is not None]


def _sources(claims: Claims, aliases: Mapping[str, str]) -> dict[str, Lazy]:
    """One tensor for each claimed parameter; an owner that the file lacks is its alias."""
    first = {name: made[0].tensor for name, made in claims.made.items()}
    borrowed = {aliases[name]: tensor for name, tensor in first.items() if name in aliases}
    return {**borrowed, **first}


def _copies(checkpoint: Checkpoint, claims: Claims) -> list[Diagnostic]:
    say = partial(different_copies, checkpoint.path)
    return [
        say(name, made[0].keys, other.keys)
        for name, made in claims.made.items()
        for other in made[1:]
        if not same(made[0].tensor, other.tensor)
    ]


def _unlike(
    checkpoint: Checkpoint,
    claims: Claims,
    sources: Mapping[str, Lazy],
    shapes: Mapping[str, Shape],
) -> list[Diagnostic]:
    problems = []
    unlike: dict[tuple[Shape, Shape], list[str]] = {}
    for name, tensor in sources.items():
        if tensor.shape != shapes[name]:
            unlike.setdefault((shapes[name], tensor.shape), []).append(name)
        elif tensor.dtype not in NUMBERS:
            keys = claims.keys_of(name)
            problems.append(not_numbers(checkpoint.path, name, tensor, keys))
    for (wanted, found), names in unlike.items():
        sources_of = [key for name in names for key in claims.keys_of(name)]
        problems.append(different_shape(checkpoint.path, names, wanted, found, sources_of))
    return problems
