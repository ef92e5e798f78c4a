"""A cost report as Markdown: checked in beside the generated source, read in pull requests."""

from collections.abc import Iterator

from compiler.passes.cost_lengths import in_order, letters_said
from compiler.passes.metrics import FORWARD
from compiler.passes.setting import USUAL
from compiler.report.assumptions import assumptions
from compiler.report.by_product import matrices, one_by_one
from compiler.report.costs import CostReport
from compiler.report.escape import inline
from compiler.report.formula import formula
from compiler.report.numbers import flops, grouped, in_unit, memory, share
from compiler.report.rows import by_formula, by_node
from compiler.report.scaling import Point
from compiler.report.table import Table
from compiler.report.terminal import key
from compiler.report.training import setting_said, trained, uncounted
from compiler.report.verdicts import verdict_lines


def markdown(report: CostReport, *, formulas: bool = True, training: bool = False) -> str:
    """The whole report, with the exact command; formulas and training where they are asked for."""
    lines = [f"# What {inline(report.name)} costs", ""]
    lines += [f"{_counted(report)}", ""]
    lines += [
        f"* {_verdict(line.name, line.figure, line.remark)}" for line in verdict_lines(report)
    ]
    if report.verdicts:
        lines += ["", "## Budget", ""]
        lines += [f"* **{'holds' if v.ok else 'over'}**: {v.sentence()}" for v in report.verdicts]
    if training:
        lines += ["", "## Training", "", f"In {setting_said(report.setting)}.", ""]
        lines += trained(report, "`").markdown()
        lines += ["", why] if (why := uncounted(report)) else []
    lines += ["", "## Totals", "", *_totals(report, formulas).markdown()]
    lines += ["", "## Key", "", *key(report, "`").markdown()]
    lines += ["", "## Where it goes", "", *by_node(report).markdown()]
    if formulas:
        lines += ["", "## Formulas of the nodes", "", "For all uses of a node together.", ""]
        lines += by_formula(report).markdown()
    if report.totals["attention_matrix_bytes_total"]:
        lines += ["", "## Attention, product by product", "", *one_by_one(report).markdown()]
        lines += ["", *(f"* {sentence}" for sentence in matrices(report))]
        lines += ["", "## Attention kernels", "", *_kernels(report).markdown()]
        lines += ["", "## Growth with the length", "", *_growth(report)]
    lines += ["", "## Assumptions", "", *(f"* {sentence}" for sentence in assumptions(report))]
    return "\n".join(lines) + "\n"


def command(report: CostReport) -> str:
    """The command line that prints this report again."""
    from shlex import quote

    at = f" --at {letters_said(report.costs, report.at)}" if report.asked else ""
    patches = "".join(f" --set {quote(setting)}" for setting in report.settings)
    words, usual = report.setting.words(), USUAL.words()
    options = "".join(f" --{n} {said}" for n, said in words.items() if said != usual.get(n))
    limits = "".join(f" --budget {quote(file)}" for file in report.budgets)
    spec = quote(report.path or "-")
    return f"archc cost {spec}{at}{options}{limits}{patches} --format markdown"


def _counted(report: CostReport) -> str:
    parts = ", ".join(
        f"{known.name} = {grouped(report.at[known.name])}" for known in in_order(report.costs)
    )
    return (
        f"Counted at {parts} from the compiled graph, all of its operators, by `{command(report)}`."
    )


def _verdict(name: str, figure: str, remark: str) -> str:
    return f"{name} **{figure}**" + (f" ({remark})" if remark else "")


def _totals(report: CostReport, formulas: bool) -> Table:
    rows = []
    for name, metric in FORWARD.items():
        if name not in report.formulas:
            continue
        value = report.totals[name]
        if name == "parameters_active" and value == report.totals["parameters"]:
            continue
        if name == "attention_bias_bytes" and not value:
            continue
        cells = (f"`{name}`", metric.meaning, in_unit(value, metric.unit), grouped(value))
        rows.append((*cells, formula(report.formulas[name])) if formulas else cells)
    head = ("total", "meaning", "", "exactly")
    return Table((*head, "formula") if formulas else head, rows, frozenset({2, 3}))


def _kernels(report: CostReport) -> Table:
    rows = [(k.path, f"`{k.call}`", k.law, k.reason) for k in report.kernels]
    return Table(("node", "calls", "memory", "because"), rows)


def _growth(report: CostReport) -> Iterator[str]:
    if not report.scaling:
        yield "The spec fixes every length, so nothing grows but with the batch."
        return
    names = [known.name for known in in_order(report.costs) if known.role != "batch"]
    yield f"{' = '.join(names)} = N. Bytes in {report.precision}, of all attentions together."
    yield ""
    head = (
        "N",
        "attention matrix O(N²)",
        "fused kernel O(N)",
        "keys and values",
        "forward",
        "attention's share",
    )
    rows = [_point(point) for point in report.scaling]
    yield from Table(head, rows, frozenset(range(len(head)))).markdown()
    if any(point.beyond for point in report.scaling):
        yield ""
        yield "\\* beyond the learned table of positions: what the same layers would cost."


def _point(point: Point) -> tuple[str, ...]:
    total = point.totals
    kept = memory(total["kv_bytes"]) if total["kv_bytes"] else ""
    return (
        grouped(point.length) + (" \\*" if point.beyond else ""),
        memory(total["attention_matrix_bytes_total"]),
        memory(total["attention_fused_bytes_total"]),
        kept,
        flops(total["matmul_flops"]),
        share(total["attention_flops"], total["matmul_flops"]),
    )
