"""A cost report as a document for programs: exact integers, units in the key names."""

from dataclasses import asdict
from typing import Any, Final

from compiler.passes.cost import Row
from compiler.passes.metrics import METRICS, exact
from compiler.passes.setting import BYTES
from compiler.report.assumptions import CONVENTIONS, assumptions
from compiler.report.costs import CostReport
from compiler.report.explain.figures import FIGURES
from compiler.report.formula import formula
from compiler.report.products import Product
from compiler.report.training import uncounted
from compiler.report.verdicts import batch

ROW: Final = (
    "uses",
    "parameters",
    "parameters_active",
    "parameters_frozen",
    "matmul_flops",
    "matmul_flops_causal",
    "elementwise_flops",
    "sequential_steps",
    "backward_flops",
    "recompute_flops",
    "attention_scores_elements",
    "attention_statistics_elements",
    "kv_elements",
    "read_bytes",
    "written_bytes",
)
"""What the row of an operator says, in this order."""


def document(report: CostReport, *, formulas: bool = False) -> dict[str, Any]:
    """Totals, rows, lengths, budgets and how to read them; with `formulas`, all in letters too."""
    found: dict[str, Any] = {
        "name": report.name,
        "spec": report.path,
        "digest": report.digest,
        "at": dict(report.at),
        "precision": report.precision,
        "setting": report.setting.document(),
        "conventions": CONVENTIONS,
        "assumptions": [*assumptions(report), *filter(None, [uncounted(report)])],
        "coverage": {"operators": len(report.costs.rows), "counted": len(report.costs.rows)},
        "key": [
            {"letter": k.name, "meaning": k.meaning, "size": report.sizes[k.name], "said": k.said}
            for k in report.costs.key.key.values()
            if k.name in report.costs.letters
        ],
        "totals": dict(report.totals),
        "precisions": {name: _bytes(report, name) for name in BYTES},
        "attention_products": [_product(report, product) for product in report.products],
        "kernels": [asdict(kernel) for kernel in report.kernels],
        "mixtures": [
            {**asdict(m), "touched_decoding": round(float(m.touched(batch(report))), 6)}
            for m in report.mixtures
        ],
        "rows": [_row(report, row, formulas) for row in report.costs.rows],
        "saved": _saved(report, formulas),
        "scaling": [
            {"length": point.length, "beyond_positions": point.beyond, **point.totals}
            for point in report.scaling
        ],
        "budget": [verdict.document() for verdict in report.verdicts],
    }
    if formulas:
        found["formulas"] = {name: formula(size) for name, size in report.formulas.items()}
    return found


def _bytes(report: CostReport, precision: Any) -> dict[str, int]:
    return {
        name: size
        for name, size in report.totals_in(precision).items()
        if METRICS[name].unit == "bytes"
    }


def _saved(report: CostReport, formulas: bool) -> list[dict[str, Any]]:
    """What nodes of the fused graph keep for the backward pass, every tensor with the first that
    does; nothing where that is not known."""
    memory = report.costs.memory
    if memory is None or memory.unknown:
        return []
    return [
        {
            "path": path,
            "operator": operator,
            "bytes": exact(report.costs, size, report.at),
            **({"formula": formula(size)} if formulas else {}),
        }
        for path, (operator, size) in memory.rows(report.setting).items()
    ]


def _product(report: CostReport, product: Product) -> dict[str, Any]:
    return {
        "path": product.path,
        "product": product.name,
        "law": product.law,
        "matmul_flops": exact(report.costs, product.flops, report.at),
        "formula": formula(product.flops),
        "attention_matrix_entries": exact(report.costs, product.row.each.scores, report.at),
    }


def _row(report: CostReport, row: Row, formulas: bool) -> dict[str, Any]:
    figures = {name: FIGURES[name].formula(row, report.setting) for name in ROW}
    found: dict[str, Any] = {
        "path": row.path,
        "operator": row.operator,
        "embedding": row.embedding,
        "file": report.path if row.span.file == report.file else row.span.file,
        "line": row.span.line,
        **{name: exact(report.costs, size, report.at) for name, size in figures.items()},
    }
    if formulas:
        found["formulas"] = {name: formula(size) for name, size in figures.items()}
    return found
