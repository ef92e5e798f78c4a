"""Weights of patches laid over the image that they are cut from."""

from typing import TYPE_CHECKING, Any, Final

from compiler.report.attention_map import Patches
from compiler.report.raster import photo_png

if TYPE_CHECKING:
    import numpy.typing as npt

SIDE: Final = 320


def patch_map(name: str, weights: "npt.NDArray[Any]", patches: Patches) -> str:
    """An `svg` element of the image with a veil over each patch: the less weight, the darker."""
    rows, columns = patches.rows, patches.columns
    cell = max(1, SIDE // max(rows, columns))
    wide, high = columns * cell, rows * cell
    grid = weights[patches.before :].reshape(rows, columns)
    largest = float(grid.max()) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{name}, over the image" '
        f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">',
        f'<image width="{wide}" height="{high}" preserveAspectRatio="none" '
        f'href="{photo_png(patches.image)}"/>',
    ]
    for row in range(rows):
        for column in range(columns):
            weight = float(grid[row, column])
            parts.append(
                f'<rect x="{column * cell}" y="{row * cell}" width="{cell}" height="{cell}" '
                f'fill="#000" fill-opacity="{0.85 * (1 - weight / largest):.2f}">'
                f"<title>{row},{column}: {weight:.4f}</title></rect>"
            )
    return "".join([*parts, "</svg>"])
