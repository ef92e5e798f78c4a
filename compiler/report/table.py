"""A table of words and numbers, aligned for a terminal or written as Markdown."""

from collections.abc import Sequence

from archspec.source.frozen import Frozen


class Table(Frozen):
    """Columns by their heads, rows of cells; `right` are the columns whose cells end together.

    `foot` rows close the table: totals.
    """

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    right: frozenset[int] = frozenset()
    foot: Sequence[tuple[str, ...]] = ()

    def columns(self, count: int) -> "Table":
        """Its first columns."""
        rows, foot = ([row[:count] for row in part] for part in (self.rows, self.foot))
        return Table(self.head[:count], rows, self.right, foot)

    def text(self, indent: str = "") -> list[str]:
        """Lines for a terminal; thin rules before the rows and before the foot."""
        every = [self.head, *self.rows, *self.foot]
        widths = [max(len(row[i]) for row in every) for i in range(len(self.head))]
        rule = indent + "  ".join("─" * width for width in widths)
        body = [self._line(row, widths, indent) for row in self.rows]
        foot = [rule, *(self._line(row, widths, indent) for row in self.foot)] if self.foot else []
        return [self._line(self.head, widths, indent), rule, *body, *foot]

    def markdown(self) -> list[str]:
        """Lines of a Markdown table; the foot is bold."""
        rule = ["---:" if i in self.right else "---" for i in range(len(self.head))]
        bold = [tuple(f"**{cell}**" if cell else "" for cell in row) for row in self.foot]
        return [_piped(row) for row in (self.head, tuple(rule), *self.rows, *bold)]

    def _line(self, row: tuple[str, ...], widths: list[int], indent: str) -> str:
        cells = (
            cell.rjust(width) if i in self.right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return (indent + "  ".join(cells)).rstrip()


def _piped(row: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
