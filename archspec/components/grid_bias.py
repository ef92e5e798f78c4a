"""Learned biases of how far apart two cells of a grid are, down and across."""

from typing import ClassVar, Literal

from pydantic import Field

from archspec.components.fields import Flag, Pair
from archspec.components.position_bias import PositionBias


class GridBias(PositionBias):
    """A learned number for each head and offset on a grid of h by w cells (Liu et al. 2021, eq. 4;
    Bao et al. 2022, section 2.3).

    The table has (2h - 1)(2w - 1) rows; with `cls` three more: the class token asking a cell, a
    cell asking it, and it itself.
    """

    word: ClassVar[str] = "grid"
    paper: ClassVar[str] = "Liu et al. 2021; Bao et al. 2022"

    size: Pair = Field(description="cells to a side, or [h, w]", examples=[14])
    cls: Flag = Field(False, description="whether a class token comes before the cells")
    per: Literal["stack", "layer"] = Field(
        "layer", description="one table for all layers, or a table for each"
    )

    @property
    def places(self) -> int:
        """Positions of the sequence that it is for."""
        return self.size[0] * self.size[1] + self.cls

    @property
    def rows(self) -> int:
        """Rows of its table."""
        height, width = self.size
        return (2 * height - 1) * (2 * width - 1) + 3 * self.cls
