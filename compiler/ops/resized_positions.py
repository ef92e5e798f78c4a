"""Learned positions of a grid, interpolated to another grid."""

from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value
from compiler.ops.slices import rest
from compiler.ops.table import TableOwner

TAPS: Final = 16
SOURCE: Final = '''
def {name}(
    table_RD: Tensor, prefix: int, trained: tuple[int, int], grid: tuple[int, int]
) -> Tensor:
    """The rows of a trained grid interpolated to another grid, behind those of a prefix."""
    cells = table_RD[prefix:].T.unflatten(1, trained)[None]
    cells = F.interpolate(cells.float(), grid, mode="bicubic"{antialias})
    return torch.cat((table_RD[:prefix], cells[0].flatten(1).T.to(table_RD.dtype)))
'''


class ResizedPositions(TableOwner, Operator, signature="x:BTD; weight:RD -> y:TD"):
    """A table of `prefix` rows and one for each cell of the `trained` grid, for T = prefix + cells
    of another `grid`, both (rows, columns): bicubic interpolation (Keys 1981), in float32.

    `antialias` widens the kernel where the grid shrinks, as image libraries do (DINOv2 with
    registers, Darcet et al. 2024).
    """

    looked_up: ClassVar[bool] = True
    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    rows: ClassVar[str] = "R"

    R: Size
    D: Size
    trained: tuple[int, int]
    grid: tuple[int, int]
    prefix: int = 0
    antialias: bool = False
    init: Init | None = None

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=2 * TAPS * (n.T - self.prefix) * n.D)

    def torch(self, w: Writer) -> str:
        antialias = ", antialias=True" if self.antialias else ""
        called = w.helper("resize", SOURCE.replace("{antialias}", antialias))
        return f"{called}({w.self}.weight, {self.prefix}, {self.trained}, {self.grid})"

    def onnx(self, b: Builder) -> Any:
        # Interpolation is linear in each axis: a constant matrix for the rows, one for the columns.
        width = value(b.dim("D"))
        cells = rest(b, b.weight, self.prefix, 0)
        (high, wide), (rows, columns) = self.trained, self.grid
        cells = b.op("MatMul", self._matrix(b, 0), b.reshape(cells, (high, wide * width)))
        cells = b.op("MatMul", self._matrix(b, 1), b.reshape(cells, (rows, wide, width)))
        cells = b.reshape(cells, (rows * columns, width))
        if not self.prefix:
            return cells
        kept = b.op("Slice", b.weight, b.ints(0), b.ints(self.prefix), b.ints(0))
        return b.op("Concat", kept, cells, axis=0)

    def _matrix(self, b: Builder, axis: int) -> Any:
        old, new = self.trained[axis], self.grid[axis]
        share = _smoothed if self.antialias else _sampled
        flat = [number for place in range(new) for number in share(place, old, new)]
        return b.reshape(b.floats(flat), (new, old))


def _sampled(place: int, old: int, new: int) -> list[float]:
    """What each of `old` cells counts for in a place of `new`: four taps, edges repeated."""
    centre = (place + 0.5) * old / new - 0.5
    first = int(centre // 1) - 1
    shares = [0.0] * old
    for tap in range(first, first + 4):
        shares[min(max(tap, 0), old - 1)] += _cubic(tap - centre, -0.75)
    return shares


def _smoothed(place: int, old: int, new: int) -> list[float]:
    """The same with a kernel as wide as a new cell, cut off at the edges."""
    wide = max(old / new, 1.0)
    centre = (place + 0.5) * old / new
    first, last = max(int(centre - 2 * wide + 0.5), 0), min(int(centre + 2 * wide + 0.5), old)
    shares = [_cubic((cell + 0.5 - centre) / wide, -0.5) for cell in range(first, last)]
    return [0.0] * first + [share / sum(shares) for share in shares] + [0.0] * (old - last)


def _cubic(far: float, a: float) -> float:
    """Keys' cubic convolution kernel."""
    x = abs(far)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return a * (((x - 5) * x + 8) * x - 4) if x < 2 else 0.0
