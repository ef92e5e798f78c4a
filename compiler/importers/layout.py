"""A model's parameters in the layout of its family's files, or why they cannot be written so."""

from collections.abc import Iterator, Mapping

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.span import Span
from compiler.importers.claims import KeyMisfit, alike
from compiler.importers.fold import listed
from compiler.importers.lazy import Lazy
from compiler.importers.operators import Sizes
from compiler.importers.restore import Restored, restore
from compiler.importers.rules import Rules


def lay_out(
    parameters: Mapping[str, Lazy],
    rules: Rules,
    *,
    sizes: Sizes,
    ties: Mapping[str, str],
    place: Span,
) -> Mapping[str, Lazy] | tuple[Diagnostic, ...]:
    """Every one of `parameters` under the names that `rules` read, so that they read it back.

    `place` is the spec's `weights:`. What cannot be written is said in diagnostics AR0716 to
    AR0718, all of it.
    """
    made = restore(parameters, rules, sizes, ties)
    problems = tuple(_problems(made, place))
    return problems or made.tensors


def _problems(made: Restored, place: Span) -> Iterator[Diagnostic]:
    if made.unruled:
        yield _unruled(made.unruled, place)
    for misfit in alike(made.misfits):
        yield _no_way_back(misfit, place)
    for misfit in alike(made.astray):
        yield _astray(misfit, place)


def _unruled(names: tuple[str, ...], place: Span) -> Diagnostic:
    """AR0716: the family's files have no place for some parameters."""
    count = f"{len(names)} parameter has" if len(names) == 1 else f"{len(names)} parameters have"
    message = f"{count} no place in files of this family"
    hint = f"no rule gives {listed(names)}"
    return Diagnostic("AR0716", message, Label(place, "these rules"), help=hint)


def _no_way_back(misfit: KeyMisfit, place: Span) -> Diagnostic:
    """AR0717: a rule's operators cannot be undone with the parameters' shapes."""
    message = f"{listed(misfit.targets)} cannot be written as {listed(misfit.keys)}"
    return Diagnostic("AR0717", message, Label(place, misfit.reason))


def _astray(misfit: KeyMisfit, place: Span) -> Diagnostic:
    """AR0718: what is written under a name would be read as something else."""
    message = f"{listed(misfit.targets)} would not be read back from {listed(misfit.keys)}"
    hint = "put the rule for a single name before one that matches it too, or take one away"
    return Diagnostic("AR0718", message, Label(place, misfit.reason), help=hint)
