"""One matrix of weights as inline SVG, with what its rows and columns are called."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from compiler.report.raster import LEVELS, colour, levels_png

if TYPE_CHECKING:
    import numpy.typing as npt

CELLS: Final = 1024
"""The most cells that are shapes of their own; more of them become pixels of a picture."""
LABELS: Final = 48
LONGEST: Final = 14
SIDE, LARGEST = 24, 480


def heat_map(
    name: str, weights: "npt.NDArray[Any]", queries: Sequence[str], sources: Sequence[str]
) -> str:
    """An `svg` element of weights [queries, sources]; labels are text of a page already."""
    rows, columns = weights.shape
    cell = min(SIDE, max(1, LARGEST // max(rows, columns, 1)))
    left, top = (7 * min(LONGEST, max(map(len, s), default=0)) + 8 for s in (queries, sources))
    wide, high = left + columns * cell, top + rows * cell
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{name}" '
        f'width="{wide + 8}" height="{high + 8}" viewBox="0 0 {wide + 8} {high + 8}">',
        *_labels(queries, sources, left, top, cell),
        *_cells(weights, queries, sources, left, top, cell),
        f'<rect x="{left}" y="{top}" width="{wide - left}" height="{high - top}" fill="none" '
        'stroke="currentColor" stroke-opacity="0.5"/>',
        "</svg>",
    ]
    return "".join(parts)


def levels(weights: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """Weights as levels of 0 to 255, 255 for the largest; they grow with the root of a weight, so
    that a row that looks at many sources can be seen beside one that looks at a single one."""
    import numpy as np

    largest = float(weights.max(initial=0.0)) or 1.0
    shares = np.sqrt(np.clip(weights / largest, 0, 1))
    found: npt.NDArray[Any] = (shares * (LEVELS - 1)).round().astype(np.uint8)
    return found


def _cells(
    weights: "npt.NDArray[Any]",
    queries: Sequence[str],
    sources: Sequence[str],
    left: int,
    top: int,
    cell: int,
) -> Iterator[str]:
    shades = levels(weights)
    rows, columns = weights.shape
    if weights.size > CELLS:
        box = f'x="{left}" y="{top}" width="{columns * cell}" height="{rows * cell}"'
        yield f'<image {box} preserveAspectRatio="none" href="{levels_png(shades)}"/>'
        return
    for row, query in enumerate(queries):
        for column, source in enumerate(sources):
            red, green, blue = colour(int(shades[row, column]))
            place = f'x="{left + column * cell}" y="{top + row * cell}"'
            yield (
                f'<rect {place} width="{cell}" height="{cell}" '
                f'fill="#{red:02x}{green:02x}{blue:02x}">'
                f"<title>{query} to {source}: {weights[row, column]:.4f}</title></rect>"
            )


def _labels(
    queries: Sequence[str], sources: Sequence[str], left: int, top: int, cell: int
) -> Iterator[str]:
    """The names of rows and columns, some left out where they would lie on each other."""
    for row in range(0, len(queries), _every(len(queries), cell)):
        at = top + row * cell + cell // 2 + 4
        words = _short(queries[row])
        yield f'<text x="{left - 4}" y="{at}" text-anchor="end">{words}</text>'
    for column in range(0, len(sources), _every(len(sources), cell)):
        at = left + column * cell + cell // 2 + 4
        turn = f'transform="rotate(-90 {at} {top - 4})"'
        yield f'<text x="{at}" y="{top - 4}" {turn}>{_short(sources[column])}</text>'


def _every(count: int, cell: int) -> int:
    return max(1, -(-12 // cell), -(-count // LABELS))


def _short(label: str) -> str:
    """A label cut to a width; one with an escape in it stays whole, so that none is cut in two."""
    return label if len(label) <= LONGEST or "&" in label else f"{label[: LONGEST - 1]}\u2026"
