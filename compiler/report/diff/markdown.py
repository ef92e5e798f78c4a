"""A difference as a comment on a pull request: a verdict, a table, details folded."""

from collections.abc import Iterator
from typing import Final

from compiler.report.diff.difference import Difference
from compiler.report.diff.terminal import Style, changes, components, totals
from compiler.report.diff.totals import Total
from compiler.report.diff.wording import folded, grown, growth, relative, verdict
from compiler.report.escape import inline
from compiler.report.formula import formula
from compiler.report.numbers import grouped
from compiler.report.table import Table

LONG: Final = 10_000
LONGEST: Final = 400
"""Signs of a formula that a cell of a table takes."""


def _code(words: str) -> str:
    """Words in a span of code, which nothing in them ends; empty for none."""
    flat = " ".join(words.replace("`", "'").split())
    return f"`{flat}`" if flat else ""


STYLE: Final = Style(_code, _code)


def markdown(difference: Difference) -> str:
    """The comment; its first line, which no reader sees, is the same for every diff of a spec."""
    after = difference.after
    lines = [mark(difference), f"**{inline(after.name)}**: {verdict(difference)}", ""]
    over = [v for v in after.verdicts if not v.ok]
    held = len(after.verdicts) - len(over)
    lines += [f"* **over budget**: {v.sentence()}" for v in over]
    lines += [
        f"* **grew too much**: {_code(name)} {inline(said)}" for name, said in grown(difference)
    ]
    lines += [f"* {held} limit{'s' * (held != 1)} of the budget hold{'s' * (held == 1)}"] * bool(
        held
    )
    lines += [""] * bool(after.verdicts or difference.grown)
    lines += totals(difference, STYLE).markdown()
    lines += ["", _counted(difference)]
    if difference.changes:
        found = changes(difference, LONG, STYLE)
        count = len(folded(difference.changes))
        lines += _details(f"What changed ({count})", found.markdown())
    if difference.deltas:
        lines += _details(
            "Which components cost more or less", components(difference, STYLE).markdown()
        )
    rest = _others(difference)
    laws = [f"* {line}" for line in growth(difference)]
    if rest.rows:
        lines += _details(
            "Every total that differs, with formulas", [*laws, *[""] * bool(laws), *rest.markdown()]
        )
    return "\n".join(lines) + "\n"


def mark(difference: Difference) -> str:
    """A comment of HTML by which a bot finds what it wrote on the same spec before."""
    name = (difference.after.path or difference.after.name).partition("@")[0]
    safe = "".join(c if c.isalnum() or c in "._/ " else "-" for c in name)
    while "--" in safe:
        safe = safe.replace("--", "-")
    return f"<!-- archc diff {safe} -->"


def _counted(difference: Difference) -> str:
    at, precision = difference.after.counted_at, difference.after.setting.weights
    old, new = difference.titles
    return f"{_code(old)} → {_code(new)}, counted at {at} in {precision}."


def _details(summary: str, lines: list[str]) -> Iterator[str]:
    yield from ("", f"<details><summary>{summary}</summary>", "", *lines, "", "</details>")


def _formulas(total: Total) -> tuple[str, str]:
    """Both formulas, an equal one once; of one that fills pages, the command that prints it."""
    before, after = (
        said if len(said) <= LONGEST else f"long: `archc cost SPEC --explain {total.name}`"
        for said in map(formula, total.formulas)
    )
    equal = total.formulas[0] == total.formulas[1]
    return before, "the same" if equal else after


def _others(difference: Difference) -> Table:
    rows = [
        (
            f"`{total.name}`",
            grouped(total.before),
            grouped(total.after),
            relative(total.before, total.after),
            *_formulas(total),
        )
        for total in difference.totals
        if total.differs
    ]
    head = ("total", "before", "after", "", "formula before", "formula after")
    return Table(head, rows, frozenset({1, 2, 3}))
