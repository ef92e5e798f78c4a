"""Two models where they run: on a device, or on a rank of several, figure by figure."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.report.device.figures import duration, per, three
from compiler.report.device.fit import Fit
from compiler.report.device.on_device import OnDevice
from compiler.report.device.section import NAMES, headline
from compiler.report.diff.wording import relative
from compiler.report.escape import inline
from compiler.report.numbers import count, grouped, memory
from compiler.report.parallel.ranks import FIGURES, Ranks
from compiler.report.table import Table

FINE: Final = 10**12
"""Parts of a second, or of one token a second, that are told apart."""
Line = tuple[str, str, str, str]
"""A name, the figure before and after, and the change."""


class Deployed(Frozen):
    """Figures of two models in one place: `title`, or in Markdown `marked`; `documents` are
    the whole answers of `archc cost` there."""

    title: str
    marked: str
    rows: tuple[Line, ...]
    documents: tuple[dict[str, Any], dict[str, Any]]

    @property
    def table(self) -> Table:
        """A line a figure."""
        return Table(("", "before", "after", "change"), list(self.rows), frozenset({1, 2, 3}))

    def text(self) -> str:
        """For a terminal."""
        return "\n".join([self.title, "", *self.table.text()]) + "\n"

    def markdown(self) -> str:
        """For a pull request."""
        return "\n".join([f"{self.marked}:", "", *self.table.markdown()]) + "\n"

    def document(self) -> dict[str, Any]:
        """For a program: both answers."""
        before, after = self.documents
        return {"before": before, "after": after}


def on_device(before: OnDevice, after: OnDevice) -> Deployed:
    """Times and what fits, of the ways to run that both models have."""
    rows = [*_times(before, after), *_fits(before, after)]
    title, marked = (f"on {headline(after, words)}" for words in (str, inline))
    return Deployed(title, marked, tuple(rows), (before.document(), after.document()))


def across(before: Ranks, after: Ranks, room: int | None = None) -> Deployed:
    """The fullest rank of both; with `room`, the bytes of a device, whether it has enough."""
    old, new = before.fullest, after.fullest
    rows = []
    for name, meaning in FIGURES.items():
        both = old.numbers.get(name, 0), new.numbers.get(name, 0)
        if any(both):
            rows.append(_figures(meaning, both, memory if name.endswith("_bytes") else count))
    if room is not None:
        rows.append(_words(f"in {memory(room)}", *(_ok(each.kept <= room) for each in (old, new))))
    title = f"a rank of {after.degrees.ranks} devices, {after.degrees}"
    return Deployed(title, title, tuple(rows), (before.document(), after.document()))


def _times(before: OnDevice, after: OnDevice) -> Iterator[Line]:
    unit = "tokens" if after.report.costs.target else "inputs"
    for old, new in zip(before.phases, after.phases, strict=False):
        name = NAMES[new.name]
        yield _figures(f"{name}, never below", (old.least, new.least), duration)
        yield _figures(f"{name}, by the roofline", (old.roofline, new.roofline), duration)
        yield _figures(f"{name}, with assumptions", (old.seconds, new.seconds), duration)
        rates = per(old.tokens, old.seconds), per(new.tokens, new.seconds)
        yield _figures(f"{name}, {unit} a second", rates, three)
        yield _words(f"{name}, bound by", old.bound, new.bound)
    steps = before.step, after.step
    if all(step.run for step in steps):
        yield _figures("a training step", (steps[0].seconds, steps[1].seconds), duration)


def _fits(before: OnDevice, after: OnDevice) -> Iterator[Line]:
    known = {fit.what: fit for fit in before.fits}
    for new in after.fits:
        if (old := known.get(new.what)) is None:
            continue
        yield _figures(f"{new.what}, needs", (old.need, new.need), memory)
        yield _words(f"{new.what}, in {memory(after.room)}", _ok(old.ok), _ok(new.ok))
        yield _most(f"{new.what}, largest batch", old, new, lambda fit: fit.batch)
        yield _most(f"{new.what}, greatest length", old, new, _longest)


def _figures(name: str, found: tuple[float, float], said: Callable[[Any], str]) -> Line:
    fine = [round(each * FINE) if math.isfinite(each) else 0 for each in found]
    return name, said(found[0]), said(found[1]), relative(*fine)


def _words(name: str, before: str, after: str) -> Line:
    return name, before, after, "same" if before == after else ""


def _most(name: str, old: Fit, new: Fit, found: Callable[[Fit], int | None]) -> Line:
    before, after = found(old), found(new)
    words = _words(name, _limit(old, before), _limit(new, after))
    return (*words[:3], relative(before, after)) if before and after else words


def _longest(fit: Fit) -> int | None:
    """Where no longer input fits, or the table of positions ends before."""
    return fit.length if fit.ends is None else fit.ends


def _limit(fit: Fit, found: int | None) -> str:
    if found is None:
        return "not counted" if fit.missing else "any"
    return grouped(found) if found else "none"


def _ok(fits: bool) -> str:
    return "fits" if fits else "does not fit"
