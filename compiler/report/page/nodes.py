"""The table of all components: rows with formulas, folded under what they are part of."""

from collections.abc import Iterator

from archspec.source.frozen import Frozen
from compiler.ir.size import as_poly, total
from compiler.passes.cost import Row
from compiler.passes.metrics import exact
from compiler.report.page.kinds import kinds
from compiler.report.page.sheet import Number, Sheet, moved_bytes


class Line(Frozen):
    """A row of the table: one operator, or all operators of a component."""

    path: str
    kind: str
    operator: str
    uses: int
    parameters: Number
    work: Number
    moved: Number
    line: str

    @property
    def name(self) -> str:
        """Its last part."""
        return self.path.rpartition(".")[2]


class Group(Frozen):
    """A component with its operators; one alone stands for itself."""

    path: str
    whole: Line
    lines: tuple[Line, ...]


def nodes(sheet: Sheet) -> list[Group]:
    """Components in the order of execution, without operators that cost nothing."""
    every = [
        pair for pair in zip(sheet.rows, kinds(sheet.rows), strict=True) if _costs(sheet, pair[0])
    ]
    return list(_groups(sheet, every))


def _groups(sheet: Sheet, every: list[tuple[Row, str]]) -> Iterator[Group]:
    components: dict[str, list[tuple[Row, str]]] = {}
    for row, kind in every:
        components.setdefault(row.path.rpartition(".")[0] or row.path, []).append((row, kind))
    for path, found in components.items():
        row, kind = found[0]
        if row.path == path:
            yield Group(path, _line(sheet, [row], path, kind, row.operator), ())
            continue
        rows = [row for row, _ in found]
        largest = max(found, key=lambda pair: _weight(sheet, pair[0]))
        whole = _line(sheet, rows, path, largest[1], f"{len(rows)} operators")
        lines = (_line(sheet, [row], row.path, kind, row.operator) for row, kind in found)
        yield Group(path, whole, tuple(lines))


def _line(sheet: Sheet, rows: list[Row], path: str, kind: str, operator: str) -> Line:
    return Line(
        path,
        kind,
        operator,
        exact(sheet.report.costs, rows[0].uses, sheet.report.at),
        sheet.fixed(total(row.parameters for row in rows), "parameters"),
        sheet.fixed(total(as_poly(row.cost.matmul) for row in rows), "FLOP"),
        sheet.number(lambda setting: moved_bytes(rows, setting), "bytes"),
        _place(sheet, rows[0]),
    )


def _costs(sheet: Sheet, row: Row) -> bool:
    moved = moved_bytes([row], sheet.report.setting)
    return any(size.terms for size in (row.parameters, as_poly(row.cost.matmul), moved))


def _weight(sheet: Sheet, row: Row) -> int:
    return exact(sheet.report.costs, row.cost.matmul, sheet.report.at)


def _place(sheet: Sheet, row: Row) -> str:
    span = row.span
    if not span.file:
        return ""
    own = span.file == sheet.report.file
    return str(span.line) if own else f"{span.file.rpartition('/')[2]}:{span.line}"
