"""Small tables of HTML for notebooks: all escaped, nothing fetched, styled by the notebook."""

from collections.abc import Collection, Iterable, Sequence
from html import escape


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Collection[int] = (),
    foot: Iterable[Sequence[str]] = (),
) -> str:
    """A table; `right` are the columns whose cells end together, `foot` rows that sum up."""
    heads = (
        f'<th scope="col" style="{_side(i, right)}">{escape(cell)}</th>'
        for i, cell in enumerate(head)
    )
    parts = ["<table>", f'<caption style="text-align: left">{escape(caption)}</caption>']
    parts += [
        f"<thead><tr>{''.join(heads)}</tr></thead>",
        "<tbody>",
        *(_row(r, right) for r in rows),
    ]
    parts += ["</tbody>"]
    if feet := [_row(row, right) for row in foot]:
        parts += ["<tfoot>", *feet, "</tfoot>"]
    return "\n".join([*parts, "</table>"])


def paragraph(words: str) -> str:
    """A line of text."""
    return f"<p>{escape(words)}</p>"


def _row(row: Sequence[str], right: Collection[int]) -> str:
    cells = (f'<td style="{_side(i, right)}">{escape(cell)}</td>' for i, cell in enumerate(row))
    return f"<tr>{''.join(cells)}</tr>"


def _side(column: int, right: Collection[int]) -> str:
    return f"text-align: {'right' if column in right else 'left'}"
