"""What the boxes of the outline cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compiler.ir.size import as_poly, total
from compiler.passes.cost import Row
from compiler.report.numbers import count, share
from compiler.report.page.sheet import Sheet


@dataclass
class Loads:
    """Counts boxes as they are drawn; `figures` are their parameters and matrix products."""

    sheet: Sheet
    figures: list[tuple[int, int]] = field(default_factory=list)

    def load(self, path: str, without: Sequence[str]) -> tuple[str, int, str] | None:
        """Words, a part of the work of 1000 and a key for all rows below a path but some; None
        where they cost nothing."""
        rows = [r for r in _below(self.sheet.rows, [path]) if r not in [*_below([r], without)]]
        weights = self.sheet.fixed(total(row.parameters for row in rows), "parameters")
        work = self.sheet.fixed(total(as_poly(row.cost.matmul) for row in rows), "FLOP")
        if not weights.value and not work.value:
            return None
        whole = self.sheet.totals["matmul_flops"].value
        self.figures.append((weights.figure, work.figure))
        said = words(weights.value, work.value, whole)
        return said, 1000 * work.value // max(whole, 1), str(len(self.figures) - 1)


def words(weights: int, work: int, whole: int) -> str:
    """The second line of a box."""
    parts = [count(weights)] if weights else []
    return " · ".join([*parts, *([f"{share(work, whole)} of FLOP"] if work else [])])


def _below(rows: Iterable[Row], paths: Sequence[str]) -> list[Row]:
    return [row for row in rows for path in paths if f"{row.path}.".startswith(f"{path}.")]
