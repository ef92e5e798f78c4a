"""Differences in words and numbers: `+12.5 %`, `tiny.yaml:8 → 9`."""

from collections.abc import Iterator, Sequence
from typing import Final

from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.report.costs import CostReport
from compiler.report.diff.change import Cause, Change
from compiler.report.diff.difference import Difference
from compiler.report.diff.totals import Total
from compiler.report.numbers import THIN, in_unit, share, times
from compiler.report.order import POWERS

ARROW: Final = " → "
MINUS: Final = "\u2212"
WORDS: Final = {"added": "added", "removed": "removed", "renamed": "name", "moved": "place"}


def relative(before: int, after: int) -> str:
    """A change in percent of what was, `10.2 times` where it is more than that; `same`, `new`."""
    if before == after:
        return "same"
    if not before:
        return "new"
    if after >= 10 * before:
        return times(after, before)
    sign = "+" if after > before else MINUS
    return f"{sign}{share(abs(after - before), before)}"


def absolute(before: int, after: int, unit: str) -> str:
    """The signed difference with its unit; empty where there is none."""
    if before == after:
        return ""
    sign = "+" if after > before else MINUS
    return f"{sign}{in_unit(abs(after - before), unit)}"


def places(difference: Difference, causes: Sequence[Cause], most: int = 3) -> str:
    """What is said and where: `dims.d_model, tiny.yaml:8 → 9`."""
    shown = [_cause(difference, cause) for cause in causes[:most]]
    more = [f"and {len(causes) - most} more"] if len(causes) > most else []
    return "; ".join([*shown, *more])


def lines(difference: Difference, causes: Sequence[Cause], most: int = 4) -> str:
    """Where the causes are said, those of one line together: `tiny.yaml:8 d_model, d_ff`."""
    found: dict[str, list[str]] = {}
    for cause in causes[:most]:
        new = _place(cause.after, difference.after)
        place = new if new.file else _place(cause.before, difference.before)
        found.setdefault(place.text(), []).append(cause.what)
    shown = [f"{said} {_named(whats, said)}".strip() for said, whats in found.items()]
    return "; ".join(shown) + (f"; {len(causes) - most} more" if len(causes) > most else "")


def _named(whats: Sequence[str], place: str) -> str:
    """What is said there; a patch says it itself."""
    if place.startswith("--set"):
        return ""
    return ", ".join(what.removeprefix("dims.") for what in whats)


def verdict(difference: Difference) -> str:
    """The first line: what changed and by how much."""
    if difference.same:
        return "no difference in structure or costs"
    count = len(folded(difference.changes))
    said = [f"{count} change{'s' * (count != 1)}" if count else "the same structure"]
    said += [_in_words(total) for total in difference.totals if total.name in SPOKEN]
    if all(total.before == total.after for total in difference.totals):
        said.append("the same costs")
    return ", ".join(filter(None, said))


SPOKEN: Final = {
    "parameters": "parameters",
    "matmul_flops": "forward",
    "kv_bytes_per_token": "cache a token",
}


def _in_words(total: Total) -> str:
    if total.before == total.after:
        return ""
    old, new = in_unit(total.before, total.unit), in_unit(total.after, total.unit)
    return f"{SPOKEN[total.name]} {old}{ARROW}{new} ({relative(total.before, total.after)})"


def folded(changes: Sequence[Change]) -> list[tuple[str, Change]]:
    """Equal changes of several parts once, with all their paths."""
    found: dict[tuple[object, ...], list[Change]] = {}
    for change in changes:
        same = (change.kind, change.field, change.before, change.after, change.causes)
        found.setdefault(same, []).append(change)
    return [(", ".join(one.path for one in group), group[0]) for group in found.values()]


def what(change: Change) -> str:
    """The setting that changed, or what happened to a part."""
    return change.field or WORDS.get(change.kind, "is")


def sides(change: Change) -> tuple[str, str]:
    """The values before and after; what is added had none."""
    old = "" if change.kind == "added" else change.before
    new = "" if change.kind == "removed" else change.after
    return old, new


def grown(difference: Difference) -> Iterator[tuple[str, str]]:
    """Totals that grew by more than is allowed: their names, by how much and because of what."""
    for allowed, total in difference.grown:
        more = absolute(total.before, total.after, total.unit)
        why = f", because of {said}" if (said := lines(difference, total.causes)) else ""
        yield (
            total.name,
            f"grew by {more.removeprefix('+')} ({relative(total.before, total.after)}), more than "
            f"the {allowed.percent}{THIN}% that are allowed{why}",
        )


def growth(difference: Difference) -> Iterator[str]:
    """Totals that grow otherwise with the length than they did."""
    for total in difference.totals:
        if total.grows[0] != total.grows[1]:
            old, new = (_law(power) for power in total.grows)
            yield f"`{total.name}` grows as {new}, it was {old}"


def _law(power: int) -> str:
    return f"O({f'N{POWERS.get(power, power)}' if power else '1'})"


def _cause(difference: Difference, cause: Cause) -> str:
    spans = (cause.before, difference.before), (cause.after, difference.after)
    old, new = (_place(span, report) for span, report in spans)
    if old.file and _bare(old.file) == _bare(new.file):
        lines = old.line if old.line == new.line else f"{old.line}{ARROW}{new.line}"
        return f"{cause.what}, {_name(new.file)}:{lines}"
    alike = _name(old.file) == _name(new.file)
    said = ARROW.join(place.text(whole=alike) for place in (old, new) if place.file)
    return f"{cause.what}, {said}" if said else cause.what


class _Place(Frozen):
    """A file and a line, or a patch as it is written on the command line; nothing at all."""

    file: str = ""
    line: str = ""

    def text(self, *, whole: bool = False) -> str:
        file = self.file if whole or not self.line else self.file.rpartition("/")[2]
        return f"{file}:{self.line}" if self.line else file


def _place(span: Span | None, report: CostReport) -> _Place:
    if span is None or not span.file:
        return _Place()
    if span.file == "--set" and span.line <= len(report.settings):
        return _Place(f"--set {report.settings[span.line - 1]}")
    return _Place(span.file, str(span.line))


def _bare(file: str) -> str:
    """A file without the revision that it is read at."""
    bare = file.partition("@")[0]
    return bare if bare.endswith((".yaml", ".yml")) else file


def _name(file: str) -> str:
    return _bare(file).rpartition("/")[2]
