"""What is said when a checkpoint and a model do not agree."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from archspec.source.diagnostic import Diagnostic
from compiler.importers.claims import Claims, KeyMisfit
from compiler.importers.fold import fold, listed
from compiler.importers.lazy import Lazy
from compiler.importers.operators import Shape
from compiler.importers.printable import printable
from compiler.importers.problem import HELP_INDENT, about_file
from compiler.importers.ties import Rift

MOST_HINTS = 20


def left_over(
    path: Path, claims: Claims, unfilled: Sequence[str], sought: Sequence[str], *, ruled: bool
) -> Diagnostic:
    """AR0708: every unused key and every unfilled parameter, with the nearest names.

    `sought` are keys that the unfilled would be read from. `ruled` says whether the spec has
    `weights:`, which is what most published files want.
    """
    unused = claims.unused
    said = [_count(len(unused), "key is unused", "keys are unused")] if unused else []
    if unfilled:
        said.append(_count(len(unfilled), "parameter is unfilled", "parameters are unfilled"))
    lines = [f"unused: {listed(unused)}"] if unused else []
    lines += [f"unfilled: {listed(unfilled)}"] if unfilled else []
    lines += [f"the file lacks {listed(sought)}"] if sought else []
    nearest = _nearest(unfilled, unused)
    lines += nearest
    lines += _unknown_targets(name for targets in unused.values() for name in targets)
    if unused and not nearest and not ruled:
        lines.append("a published file is read by its family's name, as in `weights: gpt2`")
    if ruled and not claims.made and not claims.misfits:
        lines.append("`weights:` of the spec reads none of these names: is another family meant?")
    message = f"the weights and the spec do not match: {' and '.join(said)}"
    return about_file("AR0708", path, message, "these weights", HELP_INDENT.join(lines))


def no_fit(path: Path, misfit: KeyMisfit) -> Diagnostic:
    """AR0709: the rule for a key cannot be followed with its shape."""
    message = f"{listed(misfit.keys)} cannot become {listed(misfit.targets)}"
    return about_file("AR0709", path, message, misfit.reason)


def different_shape(
    path: Path, names: Sequence[str], wanted: Shape, found: Shape, keys: Sequence[str]
) -> Diagnostic:
    """AR0710: parameters have one shape in the spec and another in the file."""
    verb = "is" if len(names) == 1 else "are"
    message = f"{listed(names)} {verb} {list(wanted)} in the spec but {list(found)} in the weights"
    renamed = bool(keys) and list(keys) != list(names)
    return about_file("AR0710", path, message, f"from {listed(keys)}" if renamed else "this file")


def different_tie(path: Path, rift: Rift) -> Diagnostic:
    """AR0711: the spec ties what the file holds as two different tensors."""
    alias = rift.alias
    message = f"`{alias}` is tied to `{rift.owner}` in the spec but differs from it in the weights"
    note = f"{listed(rift.keys[0])} and {listed(rift.keys[1])} are not equal"
    hint = f"the weights are untied: give `{alias.rpartition('.')[0]}` its own table in the spec"
    return about_file("AR0711", path, message, note, hint)


def untied(path: Path, rift: Rift, patches: Sequence[str]) -> Diagnostic:
    """AR0719, a warning: a table of its own is built where the spec has a tie."""
    message = f"`{rift.alias}` differs from `{rift.owner}`, which the spec ties it to: untied"
    note = f"{listed(rift.keys[0])} and {listed(rift.keys[1])} are not equal"
    hint = f"say so in the spec: {' '.join(f'--set {patch}' for patch in patches)}"
    return about_file("AR0719", path, message, note, hint, severity="warning")


def different_copies(
    path: Path, name: str, first: Sequence[str], second: Sequence[str]
) -> Diagnostic:
    """AR0712: two keys of the file become one parameter and are not equal."""
    message = f"`{name}` is in the weights twice, with different numbers"
    hint = "drop one of them with a rule"
    return about_file("AR0712", path, message, f"from {listed(first)} and {listed(second)}", hint)


def not_numbers(path: Path, name: str, tensor: Lazy, keys: Sequence[str]) -> Diagnostic:
    """AR0706: a parameter is stored in a type that does not stand for itself."""
    message = f"`{name}` is stored as {tensor.dtype}, which is not supported"
    hint = "parameters are F32, F16, BF16 or F64; quantised weights have scales to be applied first"
    return about_file("AR0706", path, message, f"from {listed(keys)}" if keys else "", hint)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _nearest(unfilled: Iterable[str], unused: Iterable[str]) -> list[str]:
    free = fold(unused)
    lines = []
    for name in fold(unfilled)[:MOST_HINTS]:
        near = get_close_matches(name, free, 1, 0.75)
        if near:
            lines.append(f"did you mean `{name}` for `{printable(near[0])}`?")
    return lines


def _unknown_targets(names: Iterable[str]) -> list[str]:
    unknown = listed(names)
    return [f"rules give {unknown}, which the spec does not have"] if unknown else []
