"""How far apart two cells of a grid are, as rows of a table."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer

SOURCE: Final = '''
def {name}(device: torch.device) -> Tensor:
    """A number for every offset of two cells of a grid of {height} by {width}{beside}."""
    down = torch.arange({height}, device=device)[:, None] * {across}
    cell = (down + torch.arange({width}, device=device)).flatten()
    {made}
'''
CELLS: Final = "return cell[:, None] - cell + {middle}"
CLASS: Final = """offset_PP = F.pad(cell[:, None] - cell + {middle}, (1, 0, 1, 0))
    offset_PP[0, :], offset_PP[:, 0], offset_PP[0, 0] = {asks}, {asked}, {itself}
    return offset_PP"""


class GridOffsets(Operator, signature="x:BPD -> bucket:int PP"):
    """The row of a table for every two of P cells, `height` by `width` in reading order (Liu et al.
    2021, section 3.2): (2·width - 1)·rows down + columns across, counted from the least.

    With `cls` a class token comes first, and three more rows are for it asking a cell, a cell
    asking it, and it itself (Bao et al. 2022).
    """

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    height: int
    width: int
    cls: bool = False

    @property
    def cells(self) -> list[int]:
        """Numbers of the cells whose differences are the offsets."""
        across = 2 * self.width - 1
        return [down * across + at for down in range(self.height) for at in range(self.width)]

    @property
    def middle(self) -> int:
        """The row of a cell and itself."""
        return self.cells[-1]

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        after = 2 * self.middle + 1
        fields = {
            "height": self.height,
            "width": self.width,
            "across": 2 * self.width - 1,
            "middle": self.middle,
            "asks": after,
            "asked": after + 1,
            "itself": after + 2,
            "beside": ", three more for the class token" if self.cls else "",
        }
        made = (CLASS if self.cls else CELLS).format(**fields)
        source = SOURCE.format(name="{name}", made=made, **fields)
        return f"{w.helper('grid_offsets', source)}({w.x}.device)"

    def onnx(self, b: Builder) -> Any:
        cells, after = b.ints(*self.cells), 2 * self.middle + 1
        offset = b.op("Sub", b.op("Unsqueeze", cells, b.ints(1)), cells)
        offset = b.op("Add", offset, b.index(self.middle))
        if not self.cls:
            return offset
        offset = b.op("Pad", offset, b.ints(0, 1, 0, 0), b.index(after + 1))
        first = b.ints(after + 2, *[after] * len(self.cells))
        return b.op("Concat", b.op("Unsqueeze", first, b.ints(0)), offset, axis=0)
