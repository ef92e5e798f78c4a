"""The tables of attention's four matrix products and of the matrix between them."""

from collections.abc import Iterator
from typing import Final

from compiler.passes.metrics import exact
from compiler.passes.setting import BYTES
from compiler.report.costs import CostReport
from compiler.report.formula import formula
from compiler.report.numbers import flops, memory, power_of_ten
from compiler.report.products import Product
from compiler.report.table import Table

NAMES: Final = ("qkv", "scores", "mix", "out")
MATRIX: Final = ("entries of one matrix", "bytes of it")


def in_a_row(report: CostReport) -> Table:
    """One line an attention: FLOPs of its four products, entries and bytes of one attention
    matrix."""
    laws = {product.name: product.law for product in reversed(report.products) if product.law}
    head = ("attention", *(f"{name} {laws.get(name, '')}".strip() for name in NAMES), *MATRIX)
    rows = [
        (four[0].path, *(_flops(report, each) for each in four), *_matrix(report, four[0]))
        for four in _fours(report)
    ]
    return Table(head, rows, frozenset(range(1, len(head))))


def one_by_one(report: CostReport) -> Table:
    """One line a product, with its law and formula."""
    head = ("attention", "product", "grows as", "FLOP", "formula")
    rows = [
        (each.path, f"`{each.name}`", each.law, _flops(report, each), formula(each.flops))
        for each in report.products
        if each.law
    ]
    return Table(head, rows, frozenset({3}))


def matrices(report: CostReport) -> Iterator[str]:
    """A sentence for every attention: the size of the matrix that it computes once."""
    for four in _fours(report):
        entries, size = _matrix(report, four[0])
        worked = formula(four[0].row.each.scores)
        yield (
            f"`{four[0].path}`: one matrix has {worked} = {entries} entries, "
            f"{size} in {report.precision}."
        )


def _fours(report: CostReport) -> Iterator[tuple[Product, ...]]:
    every = report.products
    return (every[start : start + len(NAMES)] for start in range(0, len(every), len(NAMES)))


def _flops(report: CostReport, product: Product) -> str:
    found = exact(report.costs, product.flops, report.at)
    return flops(found) if found else ""


def _matrix(report: CostReport, product: Product) -> tuple[str, str]:
    entries = exact(report.costs, product.row.each.scores, report.at)
    return power_of_ten(entries), memory(entries * BYTES[report.precision])
