"""A difference as plain text: totals, what changed, where it goes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from archspec.source.frozen import Frozen
from compiler.report.diff.difference import Delta, Difference
from compiler.report.diff.totals import headline
from compiler.report.diff.wording import (
    absolute,
    folded,
    grown,
    growth,
    lines,
    places,
    relative,
    sides,
    verdict,
    what,
)
from compiler.report.numbers import in_unit
from compiler.report.table import Table

WIDEST: Final = 48
COLUMNS: Final = (
    ("parameters", "parameters", "parameters"),
    ("matmul_flops", "matmul FLOP", "FLOP"),
    ("elementwise_flops", "other FLOP", "FLOP"),
)


class Style(Frozen):
    """How a spec's own words stand in a table: as code, and in the middle of a text."""

    code: Callable[[str], str] = str
    words: Callable[[str], str] = str


PLAIN: Final = Style()


def terminal(difference: Difference) -> str:
    """The whole answer."""
    old, new = difference.titles
    out = [f"{old} → {new} at {difference.after.counted_at}", verdict(difference), ""]
    if not difference.same:
        out += [*totals(difference).text(), ""]
    over = [v for v in difference.after.verdicts if not v.ok]
    out += [*(f"OVER  {v.sentence()}" for v in over), *([""] if over else [])]
    out += [
        *(f"GREW  `{name}` {said}" for name, said in grown(difference)),
        *([""] if difference.grown else []),
    ]
    if difference.changes:
        out += [*changes(difference, WIDEST).text(), ""]
    if difference.deltas:
        out += [*components(difference).text(), ""]
    out += growth(difference)
    return "\n".join(out).rstrip("\n") + "\n"


def totals(difference: Difference, style: Style = PLAIN) -> Table:
    """The totals that are asked for first, with what makes each differ."""
    rows = [
        (
            style.code(total.name),
            in_unit(total.before, total.unit),
            in_unit(total.after, total.unit),
            absolute(total.before, total.after, total.unit),
            relative(total.before, total.after),
            style.words(lines(difference, total.causes)),
        )
        for total in headline(difference.totals)
    ]
    head = ("total", "before", "after", "change", "", "because of")
    return Table(head, rows, frozenset({1, 2, 3, 4}))


def changes(difference: Difference, widest: int, style: Style = PLAIN) -> Table:
    """What changed in the structure, equal changes once."""
    rows = []
    for path, change in folded(difference.changes):
        old, new = (style.code(_cut(side, widest)) for side in sides(change))
        said = style.words(places(difference, change.causes))
        rows.append((style.code(path), style.words(what(change)), old, new, said))
    return Table(("where", "what", "before", "after", "said in"), rows)


def components(difference: Difference, style: Style = PLAIN) -> Table:
    """Where the costs go: the components that cost more or less."""
    shown = [column for column in COLUMNS if _differs(difference.deltas, column[0])]
    rows = [
        (
            style.code(delta.path),
            *(cell for name, _, unit in shown for cell in _cells(delta, name, unit)),
            style.words(lines(difference, delta.causes)),
        )
        for delta in difference.deltas
        if any(_differs([delta], name) for name, _, _ in shown)
    ]
    heads = [cell for _, head, _ in shown for cell in (head, "")]
    right = frozenset(range(1, 2 * len(shown) + 1))
    return Table(("component", *heads, "because of"), rows, right)


def _cells(delta: Delta, name: str, unit: str) -> Iterator[str]:
    old, new = delta.numbers(name)
    yield absolute(old, new, unit)
    yield relative(old, new) if old != new else ""


def _differs(deltas: Sequence[Delta], name: str) -> bool:
    return any(old != new for delta in deltas for old, new in [delta.numbers(name)])


def _cut(text: str, widest: int) -> str:
    return text if len(text) <= widest else f"{text[: widest - 1]}…"
