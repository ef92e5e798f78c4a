"""The table of a cost report: a line for each node with parameters or matrix products."""

from compiler.ir.size import as_poly
from compiler.passes.cost import Row
from compiler.passes.metrics import exact
from compiler.report.costs import CostReport
from compiler.report.formula import formula
from compiler.report.numbers import count, flops, grouped, share
from compiler.report.table import Table

HEAD = ("node", "operator", "uses", "parameters", "", "matmul FLOP", "", "line")


def by_node(report: CostReport) -> Table:
    """Parameters and matrix products with their shares; the foot has the totals."""
    whole, work = report.totals["parameters"], report.totals["matmul_flops"]

    def cells(row: Row) -> tuple[str, ...]:
        own = exact(report.costs, row.parameters, report.at)
        done = exact(report.costs, row.cost.matmul, report.at)
        return (
            row.path,
            row.operator,
            grouped(exact(report.costs, row.uses, report.at)),
            count(own) if own else "",
            share(own, whole),
            flops(done) if done else "",
            share(done, work),
            _line(report, row),
        )

    rest = len(report.costs.rows) - len(weighty(report))
    foot = (
        "total",
        f"{rest} others have neither" if rest else "",
        "",
        count(whole),
        "",
        flops(work),
        "",
        "",
    )
    return Table(
        HEAD, [cells(row) for row in weighty(report)], frozenset({2, 3, 4, 5, 6, 7}), [foot]
    )


def by_formula(report: CostReport) -> Table:
    """The same nodes with the formulas of all their uses."""
    rows = [
        (
            row.path,
            formula(row.parameters) if row.parameters.terms else "",
            formula(row.cost.matmul) if as_poly(row.cost.matmul).terms else "",
            formula(row.cost.total("visible"))
            if row.cost.total("visible") != row.cost.matmul
            else "",
        )
        for row in weighty(report)
    ]
    return Table(("node", "parameters", "matmul FLOP", "causal FLOP"), rows)


def weighty(report: CostReport) -> list[Row]:
    """The rows with parameters or matrix products."""
    return [
        row for row in report.costs.rows if row.parameters.terms or as_poly(row.cost.matmul).terms
    ]


def _line(report: CostReport, row: Row) -> str:
    if not row.span.file:
        return ""
    name = row.span.file.rpartition("/")[2]
    return str(row.span.line) if row.span.file == report.file else f"{name}:{row.span.line}"
