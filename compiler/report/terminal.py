"""A cost report as plain text that reads well without colour: verdicts first, then a table."""

from archspec.source.shown import shown
from compiler.ir.letters import Letter
from compiler.passes.metrics import METRICS
from compiler.report.by_product import in_a_row
from compiler.report.costs import CostReport
from compiler.report.formula import formula
from compiler.report.numbers import grouped
from compiler.report.rows import by_formula, by_node
from compiler.report.table import Table
from compiler.report.training import setting_said, trained, uncounted
from compiler.report.verdicts import verdict_lines


def terminal(report: CostReport, *, formulas: bool = False, training: bool = False) -> str:
    """The report; with `formulas`, the key, every total and every node in letters too; with
    `training`, what that takes."""
    lines = [f"{shown(report.name)} at {report.counted_at}", ""]
    verdicts = verdict_lines(report)
    names, figures = (
        max(len(getattr(line, part)) for line in verdicts) for part in ("name", "figure")
    )
    lines += [f"{v.name:<{names}}  {v.figure:>{figures}}  {v.remark}".rstrip() for v in verdicts]
    lines += [""] if report.verdicts else []
    lines += [f"{'ok  ' if v.ok else 'OVER'}  {v.sentence()}" for v in report.verdicts]
    lines += ["", *by_node(report).columns(7).text()]
    if training:
        lines += ["", f"training in {setting_said(report.setting)}:", "", *trained(report).text()]
        lines += ["", why] if (why := uncounted(report)) else []
    if report.products:
        lines += ["", *in_a_row(report).text()]
    if formulas:
        lines += [
            "",
            *key(report).text(),
            "",
            *in_letters(report).text(),
            "",
            *by_formula(report).text(),
        ]
    return "\n".join(lines) + "\n"


def key(report: CostReport, quote: str = "") -> Table:
    """The letters, their meaning and size; `quote` stands around the spec's own words."""
    letters = [
        known for known in report.costs.key.key.values() if known.name in report.costs.letters
    ]
    rows = [(k.name, k.meaning, grouped(report.sizes[k.name]), _said(k, quote)) for k in letters]
    return Table(("letter", "means", "size", "in the spec"), rows, frozenset({2}))


def _said(known: Letter, quote: str) -> str:
    if known.size is None:
        return "at run time"
    return f"{quote}{known.said}{quote}" if known.said else ""


def in_letters(report: CostReport) -> Table:
    """Every total as a formula."""
    rows = [(name, METRICS[name].unit, formula(size)) for name, size in report.formulas.items()]
    return Table(("total", "unit", "formula"), rows)
