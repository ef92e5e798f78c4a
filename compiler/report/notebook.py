"""Costs and differences as a notebook shows them."""

from archspec.source.markup import paragraph, table
from compiler.report.costs import CostReport
from compiler.report.diff.difference import Difference
from compiler.report.diff.terminal import WIDEST, changes, components, totals
from compiler.report.diff.wording import growth, verdict
from compiler.report.rows import by_node
from compiler.report.table import Table
from compiler.report.verdicts import verdict_lines


def cost_html(report: CostReport) -> str:
    """What a reviewer asks first, the limits, and where it goes."""
    lines = [(line.name, line.figure, line.remark) for line in verdict_lines(report)]
    parts = [table(f"{report.name} at {report.counted_at}", ("", "", ""), lines, (1,))]
    if report.verdicts:
        limits = [("holds" if v.ok else "OVER", v.sentence()) for v in report.verdicts]
        parts.append(table("budget", ("", "limit"), limits))
    return "\n".join([*parts, _html("where it goes", by_node(report))])


def difference_html(difference: Difference) -> str:
    """The verdict, the totals, what changed, and which components cost more or less."""
    old, new = difference.titles
    parts = [paragraph(f"{old} → {new}: {verdict(difference)}")]
    if not difference.same:
        parts.append(_html("totals", totals(difference)))
        parts += [paragraph(f"OVER: {v.sentence()}") for v in difference.after.verdicts if not v.ok]
    if difference.changes:
        parts.append(_html("what changed", changes(difference, WIDEST)))
    if difference.deltas:
        parts.append(_html("what costs more or less", components(difference)))
    return "\n".join([*parts, *(paragraph(line) for line in growth(difference))])


def _html(caption: str, found: Table) -> str:
    return table(caption, found.head, found.rows, found.right, found.foot)
